// Lines over time, with what theory says behind them: uPlot, driven by plain data.
import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { ink } from "../shell/theme";
import { aligned } from "./align";
import { timesOf, valuesOf } from "./extent";
import { axis, font } from "./options";
import { paintBands, paintTheory } from "./paint";
import type { Interval, Marks, Scale, Trace } from "./trace";

export interface ChartProps {
  traces: Trace[];
  marks: Marks;
  xScale: Scale;
  yScale: Scale;
  /** The times that are shown; all when nothing is said. */
  zoom: Interval | null;
  /** The values that are shown; those of the lines when nothing is said. */
  values?: Interval | null;
  /** The times that other charts on the same clock cover. */
  clock?: Interval | null;
  /** What stands below the axis. */
  xLabel?: string;
  /** Says in words what is to be seen. */
  summary: string;
  onZoom: (times: Interval | null) => void;
  onCursor: (time: number | null) => void;
  onPick?: (time: number) => void;
  onDrawn?: () => void;
  overlay?: (plot: uPlot, drawn: ReadonlySignal<number>) => ComponentChildren;
}

export function Chart(props: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  const drawn = useSignal(0);
  const made = useSignal(0);
  latest.current = props;
  const { traces, marks, xScale, yScale, zoom, values, clock } = props;
  const colours = ink.value;

  useLayoutEffect(() => {
    const target = box.current;
    if (!target) return;
    plot.current = build(target, latest, () => {
      drawn.value += 1;
      latest.current.onDrawn?.();
    });
    made.value += 1;
    const watch = new ResizeObserver(() => {
      if (target.clientWidth > 0) plot.current?.setSize({ width: target.clientWidth, height: target.clientHeight });
    });
    watch.observe(target);
    // Words at the axes were painted before the font was there.
    void document.fonts.ready.then(() => plot.current?.redraw(false, true));
    return () => {
      watch.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
    // Kinds of axes and the number of lines are fixed when uPlot begins; all else is told to it as it changes.
  }, [xScale, yScale, traces.length]);

  useLayoutEffect(() => {
    plot.current?.setData(aligned(traces, xScale, yScale), true);
  }, [traces, marks, xScale, yScale, zoom?.[0], zoom?.[1], values, clock?.[0], clock?.[1]]);

  useEffect(() => plot.current?.redraw(false, true), [colours]);

  return (
    <div class="chart" onDblClick={() => props.onZoom(null)}>
      <div class="plot" ref={box} role="img" aria-label={props.summary} />
      {made.value > 0 && plot.current && props.overlay?.(plot.current, drawn)}
    </div>
  );
}

type Latest = { current: ChartProps };

function build(target: HTMLElement, latest: Latest, onDraw: () => void): uPlot {
  const { xScale, yScale, traces } = latest.current;
  const times = (): Interval => latest.current.zoom ?? latest.current.clock ?? timesOf(latest.current.traces, xScale);
  const series = traces.map((_, i): uPlot.Series => {
    const trace = (): Trace | undefined => latest.current.traces[i];
    // The lines share one table: times of all, and a hole where a line has no point at a time.
    return { spanGaps: true, stroke: () => trace()?.colour ?? "", width: trace()?.width ?? 1.5, points: { show: false } };
  });
  const options: uPlot.Options = {
    width: Math.max(target.clientWidth, 40),
    height: Math.max(target.clientHeight, 40),
    padding: [8, 12, 0, 0],
    legend: { show: false },
    series: [{}, ...series],
    scales: {
      x: { time: false, distr: xScale === "log" ? 3 : 1, range: times },
      y: {
        distr: yScale === "log" ? 3 : 1,
        range: () => {
          const { values, traces: now, marks } = latest.current;
          const levels = marks.levels.map(({ value }) => value);
          return values ?? valuesOf(now, times(), yScale, levels);
        },
      },
    },
    axes: [
      {
        ...axis("x", xScale),
        ...(latest.current.xLabel ? { label: latest.current.xLabel, labelSize: 15, labelGap: -3, labelFont: font(11) } : {}),
      },
      axis("y", yScale),
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      sync: {
        key: "clock",
        scales: ["x", null],
        setSeries: false,
        filters: { pub: onlyMoves, sub: onlyMoves },
      },
      points: { show: false },
      bind: { dblclick: () => () => null },
    },
    hooks: {
      drawClear: [(u) => paintBands(u, latest.current.marks, ink.value)],
      drawAxes: [(u) => paintTheory(u, latest.current.marks, ink.value)],
      drawSeries: [],
      draw: [onDraw],
      setSelect: [(u) => zoomed(u, latest)],
      setCursor: [
        (u) => {
          // Of charts that follow another one's pointer only that one speaks.
          if (!u.cursor.event) return;
          const left = u.cursor.left ?? -1;
          latest.current.onCursor(left < 0 ? null : u.posToVal(left, "x"));
        },
      ],
    },
  };
  const plot = new uPlot(options, aligned(traces, xScale, yScale), target);
  dashes(plot, latest);
  picks(plot, latest);
  plot.over.addEventListener("mouseleave", () => latest.current.onCursor(null));
  return plot;
}

const onlyMoves = (type: string): boolean => type === "mousemove" || type === "mouseleave";

function zoomed(u: uPlot, latest: Latest): void {
  const { left, width } = u.select;
  if (width < 4) return;
  const from = u.posToVal(left, "x");
  const to = u.posToVal(left + width, "x");
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  latest.current.onZoom([from, to]);
}

/** Dashes and fading follow the lines, which may change without a new uPlot. */
function dashes(u: uPlot, latest: Latest): void {
  u.series.forEach((series, i) => {
    if (i === 0) return;
    const trace = (): Trace | undefined => latest.current.traces[i - 1];
    Object.defineProperty(series, "dash", { get: () => trace()?.dash ?? [], configurable: true });
    Object.defineProperty(series, "width", { get: () => trace()?.width ?? 1.5, configurable: true });
    Object.defineProperty(series, "alpha", { get: () => (trace()?.dimmed ? 0.3 : 1), configurable: true });
  });
}

/** How long a click waits for a second one. */
const SECOND_CLICK = 220;

/** A click without a drag picks a time; two of them mean something else. */
function picks(u: uPlot, latest: Latest): void {
  let from: number | null = null;
  let waiting = 0;
  u.over.addEventListener("dblclick", () => clearTimeout(waiting));
  u.over.addEventListener("mousedown", (event) => (from = event.button === 0 ? event.clientX : null));
  u.over.addEventListener("click", (event) => {
    clearTimeout(waiting);
    if (from === null || Math.abs(event.clientX - from) > 3 || event.detail > 1) return;
    const time = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
    waiting = window.setTimeout(() => latest.current.onPick?.(time), SECOND_CLICK);
  });
}
