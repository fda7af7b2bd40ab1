// How long it takes from a hand's move to the curve on the screen.
import { signal } from "@preact/signals";

export interface Timing {
  /** Milliseconds from the input event to after the frame in which the new curve was drawn. */
  milliseconds: number;
  /** Milliseconds that the program computed. */
  computed: number;
  system: string;
}

const KEPT = 200;
const timings: Timing[] = [];
export const lastTiming = signal<Timing | null>(null);

declare global {
  interface Window {
    /** What tests and curious people read. */
    saddlescope: { timings: Timing[] };
  }
}
window.saddlescope = { timings };

/** The time of the event that is being handled, on the clock of `performance.now()`. */
export function now(event?: Event): number {
  return event && event.timeStamp > 0 ? event.timeStamp : performance.now();
}

/** Runs after the next frame has been painted. */
export function afterFrame(then: () => void): void {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = then;
    channel.port2.postMessage(null);
  });
}

export function measured(system: string, from: number, computed: number): void {
  const until = performance.now();
  performance.measure("slider-to-curve", { start: from, end: until });
  if (timings.length >= KEPT) {
    timings.shift();
    performance.clearMeasures("slider-to-curve");
  }
  const timing = { milliseconds: until - from, computed, system };
  timings.push(timing);
  lastTiming.value = timing;
}
