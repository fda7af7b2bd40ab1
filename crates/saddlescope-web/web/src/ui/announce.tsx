// What screen readers are told when something has come to an end.
import { signal } from "@preact/signals";
import type { JSX } from "preact";

const said = signal("");

/** Says a sentence, politely: after what is being read. */
export function announce(sentence: string): void {
  said.value = sentence;
}

export function Announcements(): JSX.Element {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
