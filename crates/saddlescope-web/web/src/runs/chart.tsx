// A chart of stored runs, with its own clock.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Chart } from "../charts/chart";
import { clockOf } from "../charts/extent";
import { Legend } from "../charts/legend";
import { NO_MARKS, valueAt, type Interval, type Marks, type Scale, type Trace } from "../charts/trace";
import { short } from "../data/format";
import { ScaleSwitch } from "../live/scales";

interface Props {
  title: ComponentChildren;
  name: string;
  traces: Trace[];
  marks?: Marks;
  time: Scale;
  value: Scale;
  onScale?: (change: { time?: Scale; value?: Scale }) => void;
  summary: string;
  small?: boolean;
}

export function RunChart({ title, name, traces, marks = NO_MARKS, time, value, onScale, summary, small = false }: Props): JSX.Element {
  const zoom = useSignal<Interval | null>(null);
  const cursor = useSignal<number | null>(null);
  const only = traces.length === 1 ? traces[0] : undefined;
  return (
    <section class={`panel run-chart ${small ? "small-chart" : ""}`} aria-label={name}>
      <div class="panel-head">
        <h2>{title}</h2>
        {!small && traces.length > 1 && <Legend traces={traces} time={cursor} />}
        <div class="tools">
          {cursor.value !== null && <span class="reading">time {short(cursor.value)}{only && `, ${short(valueAt(only, cursor.value))}`}</span>}
          {onScale && <ScaleSwitch of="time" scale={time} onChange={(next) => (onScale({ time: next }), (zoom.value = null))} />}
          {onScale && <ScaleSwitch of="values" scale={value} onChange={(next) => onScale({ value: next })} />}
          {zoom.value && <button type="button" class="quiet small" onClick={() => (zoom.value = null)}>whole time</button>}
        </div>
      </div>
      {small && <Legend traces={traces} time={cursor} most={6} />}
      <Chart traces={traces} marks={marks} xScale={time} yScale={value} zoom={zoom.value} clock={clockOf(traces, time)} summary={summary} onZoom={(next) => (zoom.value = next)} onCursor={(at) => (cursor.value = at)} />
    </section>
  );
}
