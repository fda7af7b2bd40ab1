// The line that says at which time weights are looked at: dragged, or moved with the keys.
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type uPlot from "uplot";

interface Props {
  plot: uPlot;
  drawn: ReadonlySignal<number>;
  time: number;
  times: [number, number];
  /** "time 338, loss 0.82". */
  text: string;
  /** Only shows the time: another chart has the handle. */
  still?: boolean;
  onMove?: (time: number, done: boolean) => void;
  onStep?: (steps: number | "first" | "last") => void;
}

export function Scrubber({ plot, drawn, time, times, text, still = false, onMove, onStep }: Props): JSX.Element | null {
  void drawn.value;
  const scale = plot.scales["x"];
  const least = scale?.min ?? 0;
  const shown = plot.valToPos(Math.max(time, scale?.distr === 3 ? least : time), "x");
  if (!Number.isFinite(shown)) return null;
  // From uPlot's own numbers: asking the browser would make it lay out the page for every frame.
  const [start, top, width, height] = [plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height].map(
    (length) => length / devicePixelRatio,
  ) as [number, number, number, number];
  const left = start + Math.min(Math.max(shown, 0), width);
  const style = { left: `${left}px`, top: `${top}px`, height: `${height}px` };
  if (still) return <div class="scrub still" style={style} />;

  const timeAt = (event: PointerEvent): number => {
    const box = plot.over.getBoundingClientRect();
    return plot.posToVal(Math.min(Math.max(event.clientX - box.left, 0), box.width), "x");
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
    const move = (next: PointerEvent): void => onMove?.(timeAt(next), false);
    const up = (next: PointerEvent): void => {
      handle.removeEventListener("pointermove", move);
      onMove?.(timeAt(next), true);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number | "first" | "last"> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: 20,
      PageDown: -20,
      Home: "first",
      End: "last",
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onStep?.(step);
  };
  return (
    <div
      class="scrub"
      style={style}
      role="slider"
      tabIndex={0}
      aria-label="time that is looked at"
      aria-valuemin={times[0]}
      aria-valuemax={times[1]}
      aria-valuenow={time}
      aria-valuetext={text}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    >
      <span class="grip" />
    </div>
  );
}
