// Weights and attention at the recorded time that is nearest to the scrubber's.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Heatmap, type Block } from "../charts/heatmap";
import type { RampKind } from "../charts/ramp";
import { short } from "../data/format";
import { fits, nearest, sizeOf, type Recording } from "../data/recording";
import { Markup } from "../ui/markup";
import { plainLabel } from "../ui/plain";
import type { LiveModel } from "./model";
import { ColumnPicker } from "./panels";
import { mapsOf } from "./picks";

export function Maps({ model }: { model: LiveModel }): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const width = useSignal(240);
  useLayoutEffect(() => {
    const target = box.current;
    if (!target) return;
    const watch = new ResizeObserver(() => (width.value = Math.max(target.clientWidth - 28, 60)));
    watch.observe(target);
    return () => watch.disconnect();
  }, []);
  const recording = model.main.recording.value;
  const at = model.at.value;
  const row = recording && at !== null ? nearest(recording.time, at) : 0;
  // Rows are not as fine as the scrubber: what is seen is of the nearest one.
  const time = recording?.time[row];
  const ramp = model.view.value.ramp;
  const families = mapsOf(model.main.problem.value);
  return (
    <section class="panel maps" aria-label="Weights and attention" ref={box}>
      <div class="panel-head">
        <h2>Matrices</h2>
        <span class="reading">{time !== undefined && `t = ${short(time)}`}</span>
        <div class="tools">
          <button
            type="button"
            class="quiet small"
            title={`Colours are on the scale of ${ramp === "run" ? "the whole run" : "this time"}`}
            aria-label={ramp === "run" ? "run's scale for colours; change to own scale" : "own scale for colours; change to run's scale"}
            onClick={() => model.change({ ramp: ramp === "run" ? "now" : "run" })}
          >
            {ramp === "run" ? "run's scale" : "own scale"}
          </button>
          <ColumnPicker families={families} chosen={model.maps.value} onChange={(maps) => model.change({ maps })} />
        </div>
      </div>
      {families.length === 0 && recording && <p class="faint">This model has no matrices to look at.</p>}
      {recording &&
        model.maps.value.map((pattern) => (
          <FamilyMap key={pattern} recording={recording} pattern={pattern} row={row} whole={ramp === "run"} width={width.value} />
        ))}
    </section>
  );
}

interface Props {
  recording: Recording;
  pattern: string;
  row: number;
  /** Whether colours are on the scale of the whole run. */
  whole: boolean;
  width: number;
}

function FamilyMap({ recording, pattern, row, whole, width }: Props): JSX.Element | null {
  const columns = [...recording.columns.values()].filter(({ column }) => fits(pattern, column.name));
  if (columns.length === 0) return null;
  const { kind, most } = scaleOf(columns.map(({ values }) => values));
  const blocks = columns.map(({ column, values }): Block => {
    const size = sizeOf(column.shape);
    const last = column.shape[column.shape.length - 1] ?? 1;
    return { label: column.label ?? column.name, rows: size / last, columns: last, values: values.subarray(row * size, (row + 1) * size) };
  });
  // What may be negative at some time keeps its colours at every time.
  const largest = whole ? most : scaleOf(blocks.map(({ values }) => values)).most;
  const first = columns[0]?.column;
  return (
    <figure class="map" data-family={pattern}>
      <figcaption>
        {pattern}{" "}
        <span class="faint">
          <Markup text={first?.label ?? ""} />
          {columns.length > 1 ? " …" : ""} {blocks.length > 1 ? `${blocks.length} × ` : ""}
          {blocks[0]?.rows} × {blocks[0]?.columns}
        </span>
      </figcaption>
      <Heatmap blocks={blocks} kind={kind} most={largest} width={width} summary={inWords(pattern, blocks)} />
      {theoryOf(recording, pattern).map((block, i) => (
        <div key={i} class="theory-map">
          <div class="faint">
            theory: <Markup text={block.label} />
          </div>
          <Heatmap
            blocks={[block]}
            kind={kind}
            most={Math.max(...endsOf(block.values).map(Math.abs))}
            width={width}
            summary={inWords("theory", [block])}
          />
        </div>
      ))}
    </figure>
  );
}

/** The matrices that theory has for a family. */
function theoryOf(recording: Recording, pattern: string): Block[] {
  return (recording.facts?.predictions ?? []).flatMap(({ of, label, says }) => {
    if (says.kind !== "matrix" || of !== pattern) return [];
    const { title, shape, values } = says.value;
    return [{ label: title || label, rows: shape[0], columns: shape[1], values: Float64Array.from(values) }];
  });
}

function scaleOf(lists: Float64Array[]): { kind: RampKind; most: number } {
  const ends = lists.map(endsOf);
  const least = Math.min(0, ...ends.map(([low]) => low));
  const most = Math.max(0, ...ends.map(([, high]) => high));
  return { kind: least < 0 ? "diverging" : "sequential", most: Math.max(most, -least) };
}

const known = new WeakMap<Float64Array, [number, number]>();

/** The least and the largest number; columns of a whole run are looked through once, not for every step of the scrubber. */
function endsOf(values: Float64Array): [number, number] {
  let ends = known.get(values);
  if (!ends) {
    ends = [Infinity, -Infinity];
    for (const value of values) {
      if (value < ends[0]) ends[0] = value;
      if (value > ends[1]) ends[1] = value;
    }
    known.set(values, ends);
  }
  return ends;
}

function inWords(pattern: string, blocks: Block[]): string {
  let largest: { block: Block; at: number } | null = null;
  let size = -1;
  for (const block of blocks) {
    for (let at = 0; at < block.values.length; at++) {
      const here = Math.abs(block.values[at] ?? 0);
      if (here <= size) continue;
      size = here;
      largest = { block, at };
    }
  }
  if (!largest) return `${pattern}: empty`;
  const { block, at } = largest;
  const place = `row ${Math.floor(at / block.columns) + 1}, column ${(at % block.columns) + 1}`;
  return `${pattern}: largest entry ${short(block.values[at])} in ${plainLabel(block.label)}, ${place}`;
}
