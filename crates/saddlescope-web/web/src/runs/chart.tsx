// A chart of stored runs, with its own clock, and the lines in it.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Chart } from "../charts/chart";
import { clockOf } from "../charts/extent";
import { Legend } from "../charts/legend";
import { NO_MARKS, valueAt, type Interval, type Marks, type Scale, type Trace } from "../charts/trace";
import { short } from "../data/format";
import { linesOf, type Recording } from "../data/recording";
import { ScaleSwitch } from "../live/scales";
import { DASHES, ink } from "../shell/theme";

/** How a chart is looked at. */
export interface Axes {
  time: Scale;
  value: Scale;
  zoom: Interval | null;
}

interface Props {
  title: ComponentChildren;
  name: string;
  traces: Trace[];
  marks?: Marks;
  axes: Axes;
  /** Nothing where another chart decides. */
  onAxes?: (change: Partial<Axes>) => void;
  summary: string;
  small?: boolean;
}

export function RunChart({ title, name, traces, marks = NO_MARKS, axes, onAxes, summary, small = false }: Props): JSX.Element {
  const { time, value, zoom } = axes;
  const cursor = useSignal<number | null>(null);
  const only = traces.length === 1 ? traces[0] : undefined;
  return (
    <section class={`panel run-chart ${small ? "small-chart" : ""}`} aria-label={name}>
      <div class="panel-head">
        <h2>{title}</h2>
        {!small && traces.length > 1 && <Legend traces={traces} time={cursor} />}
        <div class="tools">
          {cursor.value !== null && <span class="reading">time {short(cursor.value)}{only && `, ${short(valueAt(only, cursor.value))}`}</span>}
          {onAxes && !small && <ScaleSwitch of="time" scale={time} onChange={(next) => onAxes({ time: next, zoom: null })} />}
          {onAxes && !small && <ScaleSwitch of="values" scale={value} onChange={(next) => onAxes({ value: next })} />}
          {onAxes && !small && zoom && <button type="button" class="quiet small" onClick={() => onAxes({ zoom: null })}>whole time</button>}
        </div>
      </div>
      {small && <Legend traces={traces} time={cursor} />}
      <Chart traces={traces} marks={marks} xScale={time} yScale={value} zoom={zoom} clock={clockOf(traces, time)} summary={summary} onZoom={(next) => onAxes?.({ zoom: next })} onCursor={(at) => (cursor.value = at)} />
    </section>
  );
}

/** Entries of one column of one run that are drawn, at most. */
const ENTRIES = 16;

/** The colour and dashes of the line at a place: those who do not see colours tell lines apart by dashes. */
export function strokeOf(place: number): { colour: string; dash: number[] } {
  const { lines } = ink.value;
  return { colour: lines[place % lines.length] ?? "", dash: DASHES[(place + Math.floor(place / lines.length)) % DASHES.length] ?? [] };
}

/** One column of several runs, a colour each. */
export function acrossRuns(runs: { key: string; label: string; recording: Recording }[], column: string): Trace[] {
  return runs.flatMap(({ key, label, recording }, place) => {
    const { colour, dash } = strokeOf(place);
    return linesOf(recording, column, ENTRIES).map((line, i): Trace => ({ key: `${key} ${line.name}`, label, x: recording.time, y: line.values, colour, dash, width: 1.6, untold: i > 0 }));
  });
}

/** Columns of one run, a colour each. */
export function ofRun(recording: Recording, patterns: string[]): Trace[] {
  return patterns.flatMap((pattern) => linesOf(recording, pattern, 64)).map((line, place): Trace => {
    const { colour, dash } = strokeOf(place);
    return { key: line.name, label: line.label, x: recording.time, y: line.values, colour, dash, width: 1.5 };
  });
}
