// Colours of heatmaps: blue, white, red around zero; light to dark for what is never negative.
import type { Theme } from "../shell/theme";

type Colour = [number, number, number];

/** Colours by their six digits each. */
const stops = (digits: string): Colour[] => digits.split(" ").map((colour) => [0, 2, 4].map((at) => parseInt(colour.slice(at, at + 2), 16)) as Colour);

const DIVERGING: Record<Theme, Colour[]> = {
  light: stops("053061 2166ac 4393c3 92c5de d1e5f0 fafaf9 fddbc7 f4a582 d6604d b2182b 67001f"),
  dark: stops("a3d0f7 6eaee8 438acc 2b649d 203e5e 1c2024 5d2d28 983f34 ce5c49 ee8a72 ffc0ad"),
};

const SEQUENTIAL: Record<Theme, Colour[]> = {
  light: stops("fcfcfa dee9f1 accde2 6aa5d0 2c73b2 0c3e7a 061c42"),
  dark: stops("181c20 1b2e42 1f4c72 2c73a8 5ba3d8 a0d0f4 e8f5ff"),
};

export type RampKind = "diverging" | "sequential";

/** The colour at a place from 0 to 1. */
export function colourAt(kind: RampKind, theme: Theme, place: number): Colour {
  const colours = (kind === "diverging" ? DIVERGING : SEQUENTIAL)[theme];
  const at = Math.min(Math.max(place, 0), 1) * (colours.length - 1);
  const low = Math.min(Math.floor(at), colours.length - 2);
  const part = at - low;
  const a = colours[low] ?? [0, 0, 0];
  const b = colours[low + 1] ?? a;
  return [0, 1, 2].map((i) => Math.round((a[i] ?? 0) * (1 - part) + (b[i] ?? 0) * part)) as Colour;
}

export function css([r, g, b]: Colour): string {
  return `rgb(${r},${g},${b})`;
}
