// The options of uPlot that all charts share.
import type uPlot from "uplot";
import { power, short } from "../data/format";
import { ink } from "../shell/theme";
import type { Scale } from "./trace";

/** Canvases follow the size of the page's letters. */
export function font(size: number, weight = 400): string {
  const unit = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--pt")) || 1;
  return `${weight} ${size * unit}px Inter, system-ui, sans-serif`;
}

export function axis(which: "x" | "y", scale: Scale): uPlot.Axis {
  const across = which === "x";
  return {
    scale: which,
    font: font(11),
    size: across ? 28 : 54,
    gap: 4,
    stroke: () => ink.value.soft,
    grid: { stroke: () => ink.value.line, width: 1, show: !across },
    ticks: { stroke: () => ink.value.strong, width: 1, size: 4 },
    border: { show: true, stroke: () => ink.value.strong, width: 1 },
    space: across ? 56 : 26,
    ...(scale === "log" ? logarithmic(across) : {}),
    values: (_, splits) => splits.map((value) => (value === null ? "" : scale === "log" ? power(value) : short(value, 4))),
  };
}

/** Ticks at powers of ten and between them; words and grid at the powers alone, but where there are hardly any. */
function logarithmic(across: boolean): Pick<uPlot.Axis, "splits" | "filter" | "grid"> {
  const worded = (u: uPlot, splits: number[]): (number | null)[] => {
    const scale = u.scales[across ? "x" : "y"];
    const decades = Math.log10((scale?.max ?? 10) / (scale?.min ?? 1));
    const room = (across ? u.width / 52 : u.height / 26) / Math.max(decades, 0.1);
    const every = room < 1 ? Math.ceil(1 / room) : 1;
    return splits.map((value) => {
      const exponent = Math.log10(value);
      const whole = Math.abs(exponent - Math.round(exponent)) < 1e-9;
      if (whole) return Math.round(exponent) % every === 0 ? value : null;
      const digit = Math.round(value / 10 ** Math.floor(exponent));
      return (decades < 1.2 && room > 6) || (decades < 2.2 && room > 3 && (digit === 2 || digit === 5)) ? value : null;
    });
  };
  return {
    splits: (_, __, least, most) => {
      const splits: number[] = [];
      const ends = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))] as const;
      const minor = ends[1] - ends[0] <= 12;
      for (let exponent = ends[0]; exponent <= ends[1]; exponent++) {
        for (let digit = 1; digit <= (minor ? 9 : 1); digit++) {
          const value = Number(`${digit}e${exponent}`);
          if (value >= least && value <= most) splits.push(value);
        }
      }
      return splits;
    },
    filter: worded,
    grid: { stroke: () => ink.value.line, width: 1, show: !across, filter: worded },
  };
}
