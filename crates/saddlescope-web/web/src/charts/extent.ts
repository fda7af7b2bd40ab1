// Where axes begin and end.
import type { Interval, Scale, Trace } from "./trace";

/** The times that lines cover; a logarithmic axis begins at the first time after the start. */
export function timesOf(traces: Trace[], scale: Scale): Interval {
  let least = Infinity;
  let most = -Infinity;
  for (const { x } of traces) {
    for (let i = 0; i < x.length; i++) {
      const time = x[i] ?? NaN;
      if (!Number.isFinite(time) || (scale === "log" && time <= 0)) continue;
      least = Math.min(least, time);
      most = Math.max(most, time);
      break;
    }
    const last = x[x.length - 1] ?? NaN;
    if (Number.isFinite(last) && (scale === "linear" || last > 0)) most = Math.max(most, last);
  }
  if (!(most > least)) return scale === "log" ? [0.1, 10] : [0, 1];
  return [least, most];
}

/** What of the whole fall counts as having left the start. */
const LEFT = 1e-3;

/**
 * The times that all charts of a view cover. A logarithmic clock begins a decade or two before the first line leaves
 * its start, at a power of ten: earlier decades hold nothing, and the axis stays put while a slider moves.
 */
export function clockOf(traces: Trace[], scale: Scale): Interval {
  const [least, most] = timesOf(traces, scale);
  if (scale === "linear") return [least, most];
  // The first line is the main one; others may be noisy from the start.
  const leaves = traces[0] ? leaving(traces[0]) : Infinity;
  if (!Number.isFinite(leaves)) return [least, most];
  const begin = 10 ** Math.floor(Math.log10(leaves / 10));
  return [Math.max(least, Math.min(begin, most / 10)), most];
}

function leaving({ x, y }: Trace): number {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < y.length; i++) {
    const value = y[i] ?? NaN;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const first = y[0] ?? NaN;
  for (let i = 1; i < y.length; i++) {
    if (Math.abs((y[i] ?? NaN) - first) > LEFT * (high - low) && (x[i] ?? 0) > 0) return x[i] ?? Infinity;
  }
  return Infinity;
}

/** The values of lines between two times, with some air. */
export function valuesOf(traces: Trace[], within: Interval, scale: Scale, also: number[]): Interval {
  let least = Infinity;
  let most = -Infinity;
  const take = (value: number): void => {
    if (!Number.isFinite(value) || (scale === "log" && value <= 0)) return;
    if (value < least) least = value;
    if (value > most) most = value;
  };
  for (const { x, y } of traces) {
    for (let i = 0; i < x.length; i++) {
      const time = x[i] ?? NaN;
      if (time >= within[0] && time <= within[1]) take(y[i] ?? NaN);
    }
  }
  also.forEach(take);
  if (!(most >= least)) return scale === "log" ? [0.1, 1] : [0, 1];
  if (scale === "log") {
    const air = Math.max((most / least) ** 0.05, 1.02);
    return [least / air, most * air];
  }
  const air = most > least ? (most - least) * 0.06 : Math.max(Math.abs(most) * 0.1, 1e-12);
  return [least - air, most + air];
}
