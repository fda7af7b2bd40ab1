// Moves in time: from sample to sample, and nearer or farther.
import type { Interval } from "../charts/trace";
import type { LiveModel } from "./model";

/** Moves the scrubber by rows of the recording. */
export function step(model: LiveModel, by: number | "first" | "last"): void {
  const times = model.main.recording.value?.time;
  const at = model.at.value;
  if (!times || at === null) return;
  const row = times.findIndex((time) => time >= at);
  const last = times.length - 1;
  const here = row < 0 ? last : row;
  const target = by === "first" ? 0 : by === "last" ? last : Math.min(Math.max(here + by, 0), last);
  model.change({ at: times[target] ?? null });
}

/** Shows a part of the time around the scrubber, or more of it, as the axis has it. */
export function zoomBy(model: LiveModel, factor: number): void {
  const at = model.at.value;
  if (at === null) return;
  const log = model.timeScale.value === "log";
  const place = (time: number): number => (log ? Math.log(time) : time);
  const time = (where: number): number => (log ? Math.exp(where) : where);
  const [first, last] = model.clock.value.map(place) as Interval;
  const [low, high] = (model.view.value.zoom ?? model.clock.value).map(place) as Interval;
  const middle = Math.min(Math.max(log && at <= 0 ? low : place(at), low), high);
  const from = Math.max(middle - (middle - low) * factor, first);
  const to = Math.min(middle + (high - middle) * factor, last);
  // Logarithms and back lose the last digits.
  const slack = (last - first) * 1e-9;
  const whole = from <= first + slack && to >= last - slack;
  if (to > from) model.change({ zoom: whole ? null : [time(from), time(to)] });
}
