// Matrices as coloured cells, one below or beside the other, with a scale and the value under the pointer.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { short } from "../data/format";
import { theme, type Theme } from "../shell/theme";
import { Markup } from "../ui/markup";
import { colourAt, css, type RampKind } from "./ramp";

/** A block of rows and columns, such as the keys of a head. */
export interface Block {
  label: string;
  rows: number;
  columns: number;
  values: Float64Array;
}

interface Props {
  blocks: Block[];
  kind: RampKind;
  /** The value that has the strongest colour. */
  most: number;
  width: number;
  summary: string;
}

interface Layout {
  cell: number;
  tiles: { block: Block; left: number; top: number }[];
  width: number;
  height: number;
}

const GAP = 6;
const MOST_CELL = 32;

/** Flat blocks lie below each other without a gap, like the rows of one matrix; tall ones stand side by side. */
function layoutOf(blocks: Block[], width: number): Layout {
  const widest = Math.max(1, ...blocks.map(({ columns }) => columns));
  const flat = blocks.every(({ rows }) => rows === 1);
  const many = blocks.length;
  const perRow = flat || many === 1 ? 1 : Math.min(many, Math.max(1, Math.floor(width / Math.max(widest * 5 + GAP, 70))));
  const cell = Math.max(1, Math.min(MOST_CELL, Math.floor(((width - GAP * (perRow - 1)) / perRow / widest) * 4) / 4));
  const tiles: Layout["tiles"] = [];
  let top = 0;
  for (let i = 0; i < many; i += perRow) {
    const line = blocks.slice(i, i + perRow);
    line.forEach((block, j) => tiles.push({ block, left: j * (widest * cell + GAP), top }));
    top += Math.max(...line.map(({ rows }) => rows)) * cell + (flat ? 0 : GAP);
  }
  return { cell, tiles, width: perRow * widest * cell + GAP * (perRow - 1), height: Math.max(top - (flat ? 0 : GAP), 1) };
}

export function Heatmap({ blocks, kind, most, width, summary }: Props): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const told = useSignal<string | null>(null);
  const now = theme.value;
  const layout = layoutOf(blocks, width);

  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, layout, kind, most, now);
  });

  const onMove = (event: PointerEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    told.value = valueUnder(layout, event.clientX - box.left, event.clientY - box.top);
  };
  return (
    <div class="heatmap">
      <canvas
        ref={canvas}
        role="img"
        aria-label={summary}
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
        onPointerMove={onMove}
        onPointerLeave={() => (told.value = null)}
      />
      <div class="heat-foot">
        <ScaleBar kind={kind} most={most} theme={now} />
        <output class="heat-value">{told.value && <Markup text={told.value} />}</output>
      </div>
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, { cell, tiles, width, height }: Layout, kind: RampKind, most: number, now: Theme): void {
  const ratio = devicePixelRatio;
  const edge = (x: number): number => Math.round(x * ratio);
  const [w, h] = [edge(width), edge(height)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, w, h);
  for (const { block, left, top } of tiles) {
    for (let r = 0; r < block.rows; r++) {
      for (let c = 0; c < block.columns; c++) {
        const value = block.values[r * block.columns + c] ?? NaN;
        if (!Number.isFinite(value)) continue;
        const part = most > 0 ? value / most : 0;
        context.fillStyle = css(colourAt(kind, now, kind === "diverging" ? (part + 1) / 2 : part));
        // Edges are on pixels of the screen, so that cells touch and stay crisp.
        const [x, y] = [edge(left + c * cell), edge(top + r * cell)];
        context.fillRect(x, y, edge(left + (c + 1) * cell) - x, edge(top + (r + 1) * cell) - y);
      }
    }
  }
}

function valueUnder({ cell, tiles }: Layout, x: number, y: number): string | null {
  for (const { block, left, top } of tiles) {
    const c = Math.floor((x - left) / cell);
    const r = Math.floor((y - top) / cell);
    if (c < 0 || r < 0 || c >= block.columns || r >= block.rows) continue;
    const place = block.rows === 1 ? `[${c + 1}]` : `[${r + 1},${c + 1}]`;
    return `${block.label} ${place} = ${short(block.values[r * block.columns + c], 4)}`;
  }
  return null;
}

function ScaleBar({ kind, most, theme: now }: { kind: RampKind; most: number; theme: Theme }): JSX.Element {
  const stops = Array.from({ length: 21 }, (_, i) => `${css(colourAt(kind, now, i / 20))} ${i * 5}%`).join(",");
  return (
    <span class="scale-bar">
      <span>{kind === "diverging" ? short(-most, 2) : "0"}</span>
      <span class="ramp" style={{ background: `linear-gradient(to right, ${stops})` }} />
      <span>{short(most, 2)}</span>
    </span>
  );
}
