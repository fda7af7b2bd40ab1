// Moves in time: the scrubber runs along the curve, from sample to sample; charts show less of it, or more.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Interval } from "../charts/trace";
import type { LiveModel } from "./model";

/** Milliseconds for the whole curve. */
const WHOLE = 8000;

export function Play({ model }: { model: LiveModel }): JSX.Element {
  const playing = model.playing.value;
  useEffect(() => (playing ? run(model) : undefined), [playing]);
  return (
    <button
      type="button"
      class="quiet small play"
      aria-pressed={playing}
      title="Let time run (space)"
      aria-label={playing ? "Stop" : "Play: let time run"}
      onClick={() => play(model)}
    >
      {playing ? "❚❚" : "▶"}
    </button>
  );
}

export function play(model: LiveModel): void {
  if (model.playing.value) model.change({ at: model.at.value }, "push");
  model.playing.value = !model.playing.value;
}

/** Where a time stands between the ends of the axis, from 0 to 1, and back. */
function axisOf(model: LiveModel): { place: (time: number) => number; time: (place: number) => number } | null {
  const times = model.main.recording.value?.time;
  if (!times || times.length < 2) return null;
  const log = model.timeScale.value === "log";
  const [zoomFrom, zoomTo] = model.view.value.zoom ?? [];
  const to = zoomTo ?? times[times.length - 1] ?? 1;
  const from = zoomFrom ?? (log ? Math.max(times.find((time) => time > 0) ?? 0, to * 1e-7) : 0);
  if (!(to > from)) return null;
  return log
    ? { place: (time) => Math.log(Math.max(time, from) / from) / Math.log(to / from), time: (place) => from * (to / from) ** place }
    : { place: (time) => (time - from) / (to - from), time: (place) => from + (to - from) * place };
}

function run(model: LiveModel): () => void {
  const axis = axisOf(model);
  if (!axis) {
    model.playing.value = false;
    return () => undefined;
  }
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let place = axis.place(model.at.value ?? 0);
  if (place >= 0.999) place = 0;
  let handle = 0;
  const advance = (by: number): boolean => {
    place = Math.min(place + by, 1);
    model.change({ at: axis.time(place) }, place < 1 ? "replace" : "push");
    if (place >= 1) model.playing.value = false;
    return place < 1;
  };
  if (still) {
    // A dozen steps in place of a motion.
    const timer = setInterval(() => advance(1 / 12), 900);
    return () => clearInterval(timer);
  }
  let last = performance.now();
  const frame = (now: number): void => {
    // A frame may be on its way when somebody stops.
    if (!model.playing.value) return;
    const more = advance((now - last) / WHOLE);
    last = now;
    if (more) handle = requestAnimationFrame(frame);
  };
  handle = requestAnimationFrame(frame);
  return () => cancelAnimationFrame(handle);
}

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
