// The state of a run: a word and a shape, so that colour is not needed.
import type { JSX } from "preact";
import type { Entry } from "../data/stored";

const SIGNS: Record<Entry["state"], string> = { finished: "●", running: "◐", interrupted: "◌", failed: "✕", damaged: "▲" };

export function StateMark({ entry }: { entry: Entry }): JSX.Element {
  const { state, words, over, members } = entry;
  const count = state !== "finished" && members !== null ? ` ${over ?? 0}/${members}` : "";
  return (
    <span class={`state ${state}`} title={words ?? undefined}>
      <span aria-hidden="true">{SIGNS[state]}</span> {state}
      {count}
    </span>
  );
}

/** How long ago, in a word or two. */
export function ago(changed: number, now = Date.now() / 1000): string {
  const seconds = Math.max(now - changed, 0);
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return new Date(changed * 1000).toISOString().slice(0, 10);
}
