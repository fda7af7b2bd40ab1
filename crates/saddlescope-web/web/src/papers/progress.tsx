// How far something is that is made anew, with a way to stop it.
import type { JSX } from "preact";
import type { Making } from "./anew";

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
