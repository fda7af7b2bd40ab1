// Something that is made anew on the server while somebody waits: a figure, a verdict.
import { batch, signal } from "@preact/signals";
import type { JSX } from "preact";
import { isAbort, post, words } from "../data/fetch";
import { framesOf } from "../data/frames";
import type { Anew } from "../data/stored";

type End = Extract<Anew, { kind: "end" }>;

export class Making {
  readonly end = signal<End | null>(null);
  readonly trouble = signal<string | null>(null);
  /** From 0 to 1; -1 where nobody knows; nothing when nothing is under way. */
  readonly done = signal<number | null>(null);
  readonly words = signal("");

  private abort: AbortController | null = null;

  constructor(
    private readonly path: string,
    private readonly body: Record<string, string>,
  ) {}

  start(): void {
    if (this.abort) return;
    batch(() => {
      this.done.value = -1;
      this.trouble.value = null;
      this.words.value = "";
    });
    void this.follow();
  }

  stop(): void {
    this.abort?.abort();
  }

  private async follow(): Promise<void> {
    this.abort = new AbortController();
    try {
      for await (const { head } of framesOf<Anew>(await post(this.path, this.body, this.abort.signal))) {
        if (head.kind === "progress") {
          this.done.value = head.done ?? -1;
          this.words.value = head.total > 1 ? `${head.over} of ${head.total} runs` : "";
        } else if (head.kind === "failed") this.trouble.value = head.error;
        else this.end.value = head;
      }
    } catch (error) {
      if (!isAbort(error)) this.trouble.value = words(error);
    }
    this.abort = null;
    this.done.value = null;
  }
}

/** How far it is, with a way to stop it. */
export function Progress({ making, what }: { making: Making; what: string }): JSX.Element | null {
  const done = making.done.value;
  if (done === null) return null;
  return (
    <span class="making" role="status">
      <progress aria-label={what} {...(done >= 0 ? { value: done } : {})} /> {making.words.value}
      <button type="button" class="quiet small" onClick={() => making.stop()}>stop</button>
    </span>
  );
}
