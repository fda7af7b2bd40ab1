// Frames of a binary answer: a head in JSON and the numbers that go with it.
import type { FrameHead } from "./contract";
import { isAbort, Unreachable } from "./fetch";

export interface Frame<Head = FrameHead> {
  head: Head;
  numbers: Float64Array;
}

const HEADER = 8;
/** No answer of the laboratory comes near this; what does is no frame of ours. */
const MOST_BYTES = 1 << 30;

/** Takes bytes as they come in and gives frames as they are complete. */
export class FrameReader<Head = FrameHead> {
  private pending: Uint8Array = new Uint8Array(0);
  private readonly text = new TextDecoder("utf-8", { fatal: true });

  push(bytes: Uint8Array): Frame<Head>[] {
    this.pending = joined(this.pending, bytes);
    const frames: Frame<Head>[] = [];
    for (;;) {
      const length = this.lengthOfNext();
      if (length === null || this.pending.length < length.whole) return frames;
      frames.push(this.take(length.json, length.numbers));
      this.pending = this.pending.slice(length.whole);
    }
  }

  /** Bytes that belong to a frame whose rest never came. */
  get left(): number {
    return this.pending.length;
  }

  private lengthOfNext(): { json: number; numbers: number; whole: number } | null {
    if (this.pending.length < HEADER) return null;
    const view = new DataView(this.pending.buffer, this.pending.byteOffset, HEADER);
    const json = view.getUint32(0, true);
    const numbers = view.getUint32(4, true);
    if (json > MOST_BYTES || numbers > MOST_BYTES || numbers % 8 !== 0) {
      throw new Error(`the answer is no frame: ${json} bytes of JSON and ${numbers} of numbers`);
    }
    return { json, numbers, whole: HEADER + json + numbers };
  }

  private take(json: number, numbers: number): Frame<Head> {
    const head = JSON.parse(this.text.decode(this.pending.subarray(HEADER, HEADER + json))) as Head;
    // A copy, so that the numbers are aligned and outlive the buffer of bytes.
    const from = HEADER + json;
    const copy = this.pending.slice(from, from + numbers);
    return { head, numbers: new Float64Array(copy.buffer, 0, numbers / 8) };
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** Reads an answer frame by frame. */
export async function* framesOf<Head = FrameHead>(answer: Response): AsyncGenerator<Frame<Head>> {
  if (!answer.body) throw new Error("the answer has no body");
  const reader = new FrameReader<Head>();
  const stream = answer.body.getReader();
  for (;;) {
    const { done, value } = await stream.read().catch((error: unknown) => {
      if (isAbort(error)) throw error;
      throw new Unreachable("the answer broke off; is `saddlescope serve` still running?");
    });
    if (done) break;
    yield* reader.push(value);
  }
  if (reader.left > 0) throw new Error(`the answer broke off inside a frame, ${reader.left} bytes before its end`);
}
