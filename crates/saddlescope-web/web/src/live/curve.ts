// One curve: the newest request for it, what has come of it so far, and what is still shown of the one before.
import { batch, signal } from "@preact/signals";
import type { Problem, RunRequest, SettingsMap } from "../data/contract";
import { isAbort, post, Refusal, Unreachable, words } from "../data/fetch";
import { framesOf } from "../data/frames";
import { recordingOf, type Recording } from "../data/recording";
import { sameSettings } from "./declared";

export interface Trouble {
  words: string;
  key: string | null;
}

/** While the hand moves, a request that is about to be answered is let finish, so that something is seen. */
const PATIENCE = 250;
/** What is shown counts as old only when the new curve lets people wait, or everything would flicker. */
const OLD_AFTER = 250;
const BUSY = 503;
/** How often a program that has its hands full is asked again, and how much longer each pause is than the one before. */
const MOST_TRIES = 20;
const LONGER = 1.2;
/** A program that is gone is asked again this often, while somebody looks. */
const AGAIN = 2000;

interface Asked {
  request: RunRequest;
  body: string;
  /** When the hand moved that asks for it; nothing where no hand did. */
  moved: number | null;
  /** How often the program had its hands full. */
  tries: number;
}

export class Curve {
  readonly recording = signal<Recording | null>(null);
  readonly problem = signal<Problem | null>(null);
  /** From 0 to 1; nothing when nothing is under way, -1 where the end is not known. */
  readonly progress = signal<number | null>(null);
  readonly trouble = signal<Trouble | null>(null);
  /** Whether what is shown is of an older request. */
  readonly stale = signal(false);

  private flight: { abort: AbortController; since: number; body: string } | null = null;
  private next: Asked | null = null;
  private shownBody = "";
  private shownSet: SettingsMap | null = null;
  private timer = 0;
  private again = 0;
  private ended = false;

  /** Where a request is refused, the main curve stays; one beside it would be of another run than the main one. */
  constructor(
    private readonly onEnd: (recording: Recording, moved: number | null) => void,
    private readonly stays: boolean,
  ) {}

  /** Asks for a run; what was asked for before gives way. */
  ask(request: RunRequest, moved: number | null = null): void {
    const body = JSON.stringify(request);
    if (body === (this.next?.body ?? this.flight?.body ?? this.shownBody)) return;
    this.next = { request, body, moved, tries: 0 };
    this.rest();
    const age = this.flight ? performance.now() - this.flight.since : Infinity;
    if (!this.flight) void this.start();
    else if (age >= PATIENCE) this.flight.abort.abort();
    else this.timer = window.setTimeout(() => this.next && this.flight?.abort.abort(), PATIENCE - age);
  }

  /** Shows nothing, and asks for nothing. */
  clear(): void {
    this.next = null;
    this.rest();
    this.flight?.abort.abort();
    this.shownBody = "";
    this.shownSet = null;
    batch(() => {
      this.recording.value = null;
      this.trouble.value = null;
    });
  }

  /** Whether what is shown is the whole run of these settings. */
  shows(set: SettingsMap): boolean {
    return this.shownSet !== null && sameSettings(this.shownSet, set);
  }

  stop(): void {
    this.ended = true;
    this.next = null;
    this.rest();
    this.flight?.abort.abort();
  }

  private async start(): Promise<void> {
    while (this.next) {
      const asked = this.next;
      this.next = null;
      const abort = new AbortController();
      this.flight = { abort, since: performance.now(), body: asked.body };
      const old = window.setTimeout(() => {
        this.stale.value = this.recording.value !== null;
        this.progress.value ??= -1;
      }, OLD_AFTER);
      try {
        await this.follow(asked, abort.signal);
      } catch (error) {
        const busy = error instanceof Refusal && error.status === BUSY;
        if (busy && asked.tries < MOST_TRIES) await this.wait(asked, abort.signal);
        else if (!isAbort(error)) this.refused(error, asked);
      }
      clearTimeout(old);
      this.flight = null;
      this.progress.value = null;
    }
  }

  /** The program has its hands full: the same again in a moment, if nothing newer has come by then. */
  private async wait(asked: Asked, signal: AbortSignal): Promise<void> {
    await new Promise((done) => {
      setTimeout(done, OLD_AFTER * LONGER ** asked.tries);
      signal.addEventListener("abort", done);
    });
    if (!signal.aborted && !this.ended) this.next ??= { ...asked, tries: asked.tries + 1 };
  }

  /** The program is gone: the same again in a while, if nothing newer has come by then. */
  private later(asked: Asked): void {
    this.again = window.setTimeout(() => {
      if (document.visibilityState !== "visible") return this.later(asked);
      this.next = asked;
      void this.start();
    }, AGAIN);
  }

  private rest(): void {
    clearTimeout(this.timer);
    clearTimeout(this.again);
  }

  private async follow({ request, body, moved }: Asked, signal: AbortSignal): Promise<void> {
    const answer = await post("/api/live", request, signal);
    let problem: Problem | null = null;
    let whole = false;
    for await (const { head, numbers } of framesOf(answer)) {
      if (head.kind === "problem") {
        problem = head;
        this.meet(head);
        continue;
      }
      if (head.kind === "failed") throw new Refusal(head.error, 200, null);
      if (!problem) throw new Error("the answer begins without its problem");
      whole = head.kind === "end";
      const recording = recordingOf(problem, head, numbers, head.kind === "end" ? head.facts : null);
      batch(() => {
        this.trouble.value = null;
        this.stale.value = false;
        this.recording.value = recording;
        this.progress.value = head.kind === "end" ? null : (head.done ?? -1);
        this.shownBody = whole ? body : "";
        this.shownSet = whole ? request.set : null;
        if (head.kind === "end" && head.facts.error) this.trouble.value = { words: head.facts.error, key: null };
      });
      if (whole) this.onEnd(recording, moved);
    }
    if (!whole) throw new Error("the answer broke off");
  }

  /** The problem stays the same object while what it offers stays the same, so that nothing is drawn for nothing. */
  private meet(problem: Problem): void {
    const offers = ({ observables, figure, levels, theories }: Problem): string => JSON.stringify([observables, figure, levels, theories]);
    if (!this.problem.value || offers(this.problem.value) !== offers(problem)) this.problem.value = problem;
  }

  private refused(error: unknown, asked: Asked): void {
    // What is wrong with the settings stays wrong; anything else may be asked for again.
    const final = error instanceof Refusal && error.status < 500;
    batch(() => {
      this.shownBody = final ? asked.body : "";
      if (!this.stays) this.recording.value = null;
      this.stale.value = this.recording.value !== null;
      this.trouble.value = { words: words(error), key: error instanceof Refusal ? error.key : null };
    });
    if (error instanceof Unreachable && !this.ended && !this.next) this.later(asked);
  }
}
