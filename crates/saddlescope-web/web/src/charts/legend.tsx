// The names of a chart's lines, with their values at the pointer.
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { short } from "../data/format";
import { Markup } from "../ui/markup";
import { ink } from "../shell/theme";
import { INSTANT_DASH, LEVEL_DASH } from "./paint";
import { valueAt, type Marks, type Trace } from "./trace";

export function Swatch({ colour, dash, width = 2 }: { colour: string; dash: number[]; width?: number }): JSX.Element {
  return (
    <svg class="swatch" width="20" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="20" y2="4" stroke={colour} stroke-width={width} stroke-dasharray={dash.join(" ")} />
    </svg>
  );
}

type Note = Pick<Trace, "label" | "colour" | "dash">;

/** What the dashed lines are: each of theory's statements once. */
function notesOf(traces: Trace[], marks: Marks | undefined): Note[] {
  const { soft, faint } = ink.value;
  const notes = [
    ...(marks?.levels ?? []).map(({ label }) => ({ label, colour: faint, dash: LEVEL_DASH })),
    ...(marks?.instants ?? []).map(({ label }) => ({ label, colour: faint, dash: INSTANT_DASH })),
    ...traces.filter(({ theory }) => theory).map(({ label, dash }) => ({ label, colour: soft, dash })),
  ];
  return notes.filter((note, i) => notes.findIndex(({ label }) => label === note.label) === i);
}

interface Props {
  traces: Trace[];
  marks?: Marks;
  /** The time that values are read at. */
  time: ReadonlySignal<number | null>;
}

export function Legend({ traces, marks, time }: Props): JSX.Element {
  const at = time.value;
  const told = traces.filter((trace) => !trace.untold);
  return (
    <ul class="legend">
      {told.map((trace) => (
        <li key={trace.key} class={trace.dimmed ? "dimmed" : ""}>
          <Swatch colour={trace.colour} dash={trace.dash} width={trace.width} />
          <span class="legend-name">
            <Markup text={trace.label} />
          </span>
          {at !== null && <output>{short(valueAt(trace, at))}</output>}
        </li>
      ))}
      {notesOf(traces, marks).map(({ label, colour, dash }) => (
        <li key={`theory ${label}`} class="note">
          <Swatch colour={colour} dash={dash} width={1.4} />
          <span>
            <Markup text={label} />
          </span>
        </li>
      ))}
    </ul>
  );
}
