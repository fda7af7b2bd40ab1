// One stored run as a recording, watched while it grows.
import type { FrameHead, Problem, Stored } from "../data/contract";
import { framesOf } from "../data/frames";
import { recordingOf, type Recording } from "../data/recording";
import type { StoredEnd } from "../data/stored";
import { SOON, Watched } from "../data/watch";

export interface StoredRun {
  recording: Recording;
  stored: Stored;
}

/** Paths stand in addresses part by part. */
export const inAddress = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

export function watchRun(path: string): Watched<StoredRun> {
  return new Watched(`/api/runs/${inAddress(path)}`, readRun, ({ stored }) => (stored.entry.state === "running" ? SOON : null));
}

export async function readRun(answer: Response): Promise<StoredRun> {
  let problem: Problem | null = null;
  for await (const { head, numbers } of framesOf<Exclude<FrameHead, { kind: "end" }> | StoredEnd>(answer)) {
    if (head.kind === "problem") problem = head;
    else if (head.kind === "end" && problem) return { recording: recordingOf(problem, head, numbers, head.facts), stored: head.stored };
  }
  throw new Error("the answer holds no run");
}
