// A verdict: its words and a shape, so that colour is not needed.
import type { JSX } from "preact";

const SIGNS: Record<string, [sign: string, name: string]> = {
  "holds": ["●", "holds"],
  "holds approximately": ["◐", "roughly"],
  "false as printed": ["✕", "false"],
  "assumption not met": ["△", "unmet"],
  "inconclusive": ["?", "open"],
  "not tested": ["○", "untested"],
};

export function VerdictMark({ words, count }: { words: string; count?: number }): JSX.Element {
  const [sign, name] = SIGNS[words] ?? ["?", "open"];
  return (
    <span class={`verdict ${name}`}>
      <span class="verdict-sign" aria-hidden="true">{sign}</span> {count !== undefined && <b>{count}</b>} {words}
    </span>
  );
}
