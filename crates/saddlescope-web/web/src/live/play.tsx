// Lets the scrubber run along the curve.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { LiveModel } from "./model";

/** Milliseconds for the whole curve. */
const WHOLE = 8000;

export function Play({ model }: { model: LiveModel }): JSX.Element {
  const playing = model.playing.value;
  useEffect(() => {
    if (!playing) return;
    return run(model);
  }, [playing]);
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
