// What is painted behind the lines of a chart: stages, theory's levels and times.
import type uPlot from "uplot";
import type { Ink } from "../shell/theme";
import type { Marks } from "./trace";

/** Dashes of theory's levels and of its times. */
export const LEVEL_DASH = [5, 4];
export const INSTANT_DASH = [2, 4];

/** What is painted from here until the context is restored stays inside the axes. */
function keepInside({ ctx, bbox }: uPlot): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

export function paintBands(u: uPlot, marks: Marks, ink: Ink): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  keepInside(u);
  ctx.font = `600 ${10 * ratio}px Inter, system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const ends = u.scales["x"];
  for (const band of marks.bands) {
    const from = u.valToPos(Math.max(band.from, ends?.min ?? band.from), "x", true);
    const to = u.valToPos(band.to, "x", true);
    if (!(to > bbox.left) || !(from < bbox.left + bbox.width)) continue;
    const left = Math.max(from, bbox.left);
    const right = Math.min(to, bbox.left + bbox.width);
    ctx.fillStyle = ink.shade;
    ctx.fillRect(left, bbox.top, Math.max(right - left, 1), bbox.height);
    if (right - left > 14 * ratio) {
      ctx.fillStyle = ink.faint;
      ctx.fillText(band.label, (left + right) / 2, bbox.top + 3 * ratio);
    }
  }
  ctx.restore();
}

export function paintTheory(u: uPlot, marks: Marks, ink: Ink): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  keepInside(u);
  ctx.lineWidth = ratio;
  ctx.strokeStyle = ink.faint;
  ctx.setLineDash(LEVEL_DASH.map((length) => length * ratio));
  const stroke = (x0: number, y0: number, x1: number, y1: number): void => {
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
  };
  for (const { value } of marks.levels) {
    const y = Math.round(u.valToPos(value, "y", true)) + 0.5;
    if (Number.isFinite(y)) stroke(bbox.left, y, bbox.left + bbox.width, y);
  }
  ctx.setLineDash(INSTANT_DASH.map((length) => length * ratio));
  for (const { time } of marks.instants) {
    const x = Math.round(u.valToPos(time, "x", true)) + 0.5;
    if (Number.isFinite(x)) stroke(x, bbox.top, x, bbox.top + bbox.height);
  }
  ctx.restore();
}
