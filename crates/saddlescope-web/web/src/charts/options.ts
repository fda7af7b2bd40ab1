// The options of uPlot that all charts share.
import type uPlot from "uplot";
import { power, short } from "../data/format";
import { ink } from "../shell/theme";
import type { Scale } from "./trace";

const FONT = "11px Inter, system-ui, sans-serif";

export function axis(which: "x" | "y", scale: Scale): uPlot.Axis {
  const across = which === "x";
  return {
    scale: which,
    font: FONT,
    size: across ? 26 : 52,
    gap: 4,
    stroke: () => ink.value.soft,
    grid: { stroke: () => ink.value.line, width: 1, show: !across },
    ticks: { stroke: () => ink.value.strong, width: 1, size: 4 },
    border: { show: true, stroke: () => ink.value.strong, width: 1 },
    space: across ? 56 : 26,
    values: (_, splits) => splits.map((value) => (value === null ? "" : scale === "log" ? power(value) : short(value, 4))),
  };
}

/** The lines share one table: times of all, and a hole where a line has no point at a time. */
export function emptySeries(count: number): uPlot.Series[] {
  return [{}, ...Array.from({ length: count }, () => ({ spanGaps: true }))];
}
