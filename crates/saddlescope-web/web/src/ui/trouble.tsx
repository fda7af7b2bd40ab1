// What went wrong, in words, told to screen readers at once.
import type { JSX } from "preact";

export function Trouble({ words, air = false }: { words: string | null | undefined; air?: boolean }): JSX.Element | null {
  return words ? <p class={air ? "trouble air" : "trouble"} role="alert">{words}</p> : null;
}
