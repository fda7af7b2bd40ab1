// Colours of heatmaps: blue, white, red around zero; light to dark for what is never negative.
import type { Theme } from "../shell/theme";

type Colour = [number, number, number];

const DIVERGING: Record<Theme, Colour[]> = {
  light: [
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [250, 250, 249],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
  ],
  dark: [
    [163, 208, 247],
    [110, 174, 232],
    [67, 138, 204],
    [43, 100, 157],
    [32, 62, 94],
    [28, 32, 36],
    [93, 45, 40],
    [152, 63, 52],
    [206, 92, 73],
    [238, 138, 114],
    [255, 192, 173],
  ],
};

const SEQUENTIAL: Record<Theme, Colour[]> = {
  light: [
    [252, 252, 250],
    [222, 233, 241],
    [172, 205, 226],
    [106, 165, 208],
    [44, 115, 178],
    [12, 62, 122],
    [6, 28, 66],
  ],
  dark: [
    [24, 28, 32],
    [27, 46, 66],
    [31, 76, 114],
    [44, 115, 168],
    [91, 163, 216],
    [160, 208, 244],
    [232, 245, 255],
  ],
};

export type RampKind = "diverging" | "sequential";

/** The colour at a place from 0 to 1. */
export function colourAt(kind: RampKind, theme: Theme, place: number): Colour {
  const stops = (kind === "diverging" ? DIVERGING : SEQUENTIAL)[theme];
  const at = Math.min(Math.max(place, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const part = at - low;
  const a = stops[low] ?? [0, 0, 0];
  const b = stops[low + 1] ?? a;
  return [0, 1, 2].map((i) => Math.round((a[i] ?? 0) * (1 - part) + (b[i] ?? 0) * part)) as Colour;
}

export function css([r, g, b]: Colour): string {
  return `rgb(${r},${g},${b})`;
}
