// A run as the page holds it: times, steps and columns, as views of one buffer.
import type { Column, MemberFacts, Problem } from "./contract";

export interface Recording {
  time: Float64Array;
  step: Float64Array;
  columns: Map<string, { column: Column; values: Float64Array }>;
  /** What the run came to; nothing while it is under way. */
  facts: MemberFacts | null;
  problem: Problem;
}

/** A column, or one entry of a column with a shape, over time. */
export interface Line {
  /** `head.0.key[0,3]`. */
  name: string;
  label: string;
  values: Float64Array;
}

export function recordingOf(
  problem: Problem,
  head: { rows: number; columns: Column[] },
  numbers: Float64Array,
  facts: MemberFacts | null,
): Recording {
  let at = 0;
  const take = (count: number): Float64Array => {
    if (at + count > numbers.length) {
      throw new Error(`a frame of ${head.rows} rows has ${numbers.length} numbers, fewer than its columns need`);
    }
    const view = numbers.subarray(at, at + count);
    at += count;
    return view;
  };
  const time = take(head.rows);
  const step = take(head.rows);
  const columns: Recording["columns"] = new Map();
  for (const column of head.columns) {
    columns.set(column.name, { column, values: take(head.rows * sizeOf(column.shape)) });
  }
  return { time, step, columns, facts, problem };
}

export function sizeOf(shape: number[]): number {
  return shape.reduce((product, side) => product * side, 1);
}

/** Whether `*`, which stands for one part of a name, makes the pattern fit. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split(".");
  const names = name.split(".");
  return parts.length === names.length && parts.every((part, i) => part === "*" || part === names[i]);
}

/** The name with every number in it as a `*`: what all heads have in common. */
export function familyOf(name: string): string {
  return name
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? "*" : part))
    .join(".");
}

/** The lines that a pattern stands for: an entry of a column with a shape is a line of its own. */
export function linesOf(recording: Recording, pattern: string, most = 64): Line[] {
  const lines: Line[] = [];
  for (const [name, { column, values }] of recording.columns) {
    if (!fits(pattern, name)) continue;
    const size = sizeOf(column.shape);
    const rows = recording.time.length;
    for (let entry = 0; entry < size && lines.length < most; entry++) {
      if (size === 1) {
        lines.push({ name, label: column.label ?? name, values });
        continue;
      }
      const place = `[${placeOf(entry, column.shape).join(",")}]`;
      const picked = new Float64Array(rows);
      for (let row = 0; row < rows; row++) picked[row] = values[row * size + entry] ?? NaN;
      const counted = placeOf(entry, column.shape).map((i) => i + 1);
      lines.push({ name: name + place, label: `${column.label ?? name} [${counted.join(",")}]`, values: picked });
    }
  }
  return lines;
}

function placeOf(entry: number, shape: number[]): number[] {
  const place: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const side = shape[axis] ?? 1;
    place.unshift(entry % side);
    entry = Math.floor(entry / side);
  }
  return place;
}

/** The place of the time that is nearest, among times that ascend. */
export function nearest(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= time) low = middle;
    else high = middle;
  }
  const before = Math.abs(time - (times[low] ?? Infinity));
  const after = Math.abs((times[high] ?? Infinity) - time);
  return after < before ? high : low;
}
