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
  // More decades than these hold nothing but the start.
  if (scale === "log") least = Math.max(least, most * 1e-7);
  return [least, most];
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
