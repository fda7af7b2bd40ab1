// A switch between logarithmic and linear.
import type { JSX } from "preact";
import type { Scale } from "../charts/trace";

export function ScaleSwitch({ of, scale, onChange }: { of: string; scale: Scale; onChange: (scale: Scale) => void }): JSX.Element {
  const next = scale === "log" ? "linear" : "log";
  return (
    <button
      type="button"
      class="quiet small"
      aria-label={`${scale} ${of}; change to ${next}`}
      title={`${of}: ${scale}`}
      onClick={() => onChange(next)}
    >
      {scale} {of}
    </button>
  );
}
