// What a chart draws, as plain data.
import { nearest } from "../data/recording";

/** A line over time. */
export interface Trace {
  key: string;
  /** In the laboratory's markup. */
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  dash: number[];
  width: number;
  /** Of an earlier run, while a newer one is computed or refused. */
  dimmed?: boolean;
  /** Drawn, but not named in the legend: theory's, or of a run whose dashes are explained elsewhere. */
  untold?: boolean;
  /** Says what theory says. */
  theory?: boolean;
}

/** A value that theory names: a dashed line across. */
export interface Level {
  value: number;
  label: string;
}

/** A time that theory names: a dashed line upwards. */
export interface Instant {
  time: number;
  label: string;
}

/** A stretch of time, shaded, with a number at its top. */
export interface Band {
  from: number;
  to: number;
  label: string;
}

export interface Marks {
  levels: Level[];
  instants: Instant[];
  bands: Band[];
}

export type Scale = "log" | "linear";
export type Interval = [number, number];

export const NO_MARKS: Marks = { levels: [], instants: [], bands: [] };

/** The value of a line at a time: that of the nearest point. */
export function valueAt(trace: Trace, time: number): number | null {
  const { x, y } = trace;
  const last = x.length - 1;
  if (last < 0) return null;
  const end = x[last] ?? 0;
  const start = x[0] ?? 0;
  const slack = (end - start) * 1e-9;
  if (time < start - slack || time > end + slack) return null;
  return y[nearest(x, time)] ?? null;
}
