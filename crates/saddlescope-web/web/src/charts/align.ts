// Lines with times of their own, brought into one table of uPlot.
import uPlot from "uplot";
import type { Scale, Trace } from "./trace";

export function aligned(traces: Trace[], xScale: Scale, yScale: Scale): uPlot.AlignedData {
  const tables: { x: ArrayLike<number>; columns: { at: number; y: ArrayLike<number> }[] }[] = [];
  traces.forEach((trace, at) => {
    let table = tables.find((other) => other.x === trace.x);
    if (!table) tables.push((table = { x: trace.x, columns: [] }));
    table.columns.push({ at, y: trace.y });
  });
  if (tables.length === 0) return [[0, 1]];
  const parts = tables.map(({ x, columns }): uPlot.AlignedData => {
    const first = xScale === "log" ? firstPositive(x) : 0;
    return [Array.from(x).slice(first), ...columns.map(({ y }) => shown(y, first, yScale))];
  });
  const joined = uPlot.join(parts);
  // Joining puts the lines in the order of their tables; the legend knows them in the order of the traces.
  const order = tables.flatMap(({ columns }) => columns.map(({ at }) => at));
  const table: (typeof joined)[number][] = [joined[0]];
  order.forEach((at, i) => (table[at + 1] = joined[i + 1] as (typeof joined)[number]));
  return table as uPlot.AlignedData;
}

function firstPositive(x: ArrayLike<number>): number {
  let first = 0;
  while (first < x.length && !((x[first] ?? NaN) > 0)) first++;
  return first;
}

function shown(y: ArrayLike<number>, first: number, scale: Scale): (number | null)[] {
  const values: (number | null)[] = new Array(Math.max(y.length - first, 0));
  for (let i = first; i < y.length; i++) {
    const value = y[i] ?? NaN;
    values[i - first] = Number.isFinite(value) && (scale === "linear" || value > 0) ? value : null;
  }
  return values;
}
