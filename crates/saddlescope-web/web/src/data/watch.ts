// Something on the server that is asked for again as long as it may change; unchanged answers cost nothing.
import { batch, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { isAbort, refusalOf, words } from "./fetch";

/** How often what grows is asked for again, in milliseconds. */
export const SOON = 1000;
/** How often something is asked for again that seldom changes. */
export const SELDOM = 5000;

export class Watched<T> {
  readonly value = signal<T | null>(null);
  readonly trouble = signal<string | null>(null);
  /** Whether an answer is under way that nothing is shown in place of. */
  readonly waiting = signal(true);

  private tag: string | null = null;
  private timer = 0;
  private abort = new AbortController();
  private ended = false;

  constructor(
    private readonly path: string,
    private readonly read: (answer: Response) => Promise<T>,
    /** After how many milliseconds to ask again; nothing where what was answered stays as it is. */
    private readonly again: (value: T) => number | null,
  ) {
    void this.ask();
  }

  stop(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.abort.abort();
  }

  private async ask(): Promise<void> {
    try {
      // The tag is compared here, so that an unchanged answer is not even read.
      const init: RequestInit = { signal: this.abort.signal, cache: "no-store" };
      if (this.tag) init.headers = { "if-none-match": this.tag };
      const answer = await fetch(this.path, init);
      if (answer.status !== 304) {
        if (!answer.ok) throw await refusalOf(answer);
        const value = await this.read(answer);
        this.tag = answer.headers.get("etag");
        batch(() => {
          this.value.value = value;
          this.waiting.value = false;
        });
      }
      this.trouble.value = null;
    } catch (error) {
      if (isAbort(error)) return;
      batch(() => {
        this.waiting.value = false;
        this.trouble.value = error instanceof TypeError ? "the program does not answer; is `saddlescope serve` still running?" : words(error);
      });
    }
    const value = this.value.value;
    const pause = this.trouble.value !== null ? SELDOM : value === null ? null : this.again(value);
    if (!this.ended && pause !== null) this.timer = window.setTimeout(() => void this.later(), pause);
  }

  /** A page that nobody sees does not ask. */
  private async later(): Promise<void> {
    if (document.visibilityState === "hidden") {
      this.timer = window.setTimeout(() => void this.later(), SOON);
      return;
    }
    await this.ask();
  }
}

/** Reads an answer that is JSON. */
export const readJson = async <T>(answer: Response): Promise<T> => (await answer.json()) as T;

/** Watches what `make` makes while a component is shown, anew when the key is another. */
export function useWatched<T>(key: string, make: () => Watched<T>): Watched<T> {
  const watched = useMemo(make, [key]);
  useEffect(() => () => watched.stop(), [watched]);
  return watched;
}
