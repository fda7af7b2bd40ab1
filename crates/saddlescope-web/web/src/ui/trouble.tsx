// What went wrong, in words, told to screen readers at once.
import type { JSX } from "preact";

export function Trouble({ words, air = false, id }: { words: string | null | undefined; air?: boolean; id?: string }): JSX.Element | null {
  return words ? <p class={air ? "trouble air" : "trouble"} role="alert" id={id}>{words}</p> : null;
}
