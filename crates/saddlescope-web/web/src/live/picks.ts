// What is shown of a problem when nobody has chosen: its own figure, and maps of its matrices.
import type { Interval, Scale } from "../charts/trace";
import type { Column, Problem } from "../data/contract";
import { familyOf } from "../data/recording";

export interface PanelShown {
  title: string | null;
  y: string[];
  scale: Scale;
  theory: string[];
  range: Interval | null;
}

export interface FigureShown {
  loss: { xScale: Scale; scale: Scale; range: Interval | null };
  others: PanelShown[];
}

export function figureOf(problem: Problem | null): FigureShown {
  const panels = problem?.figure ?? [];
  const loss = panels.find(({ y }) => y.length === 1 && y[0] === "loss");
  // A panel of several losses says, too, how the loss is best looked at.
  const like = loss ?? panels.find(({ y }) => y.includes("loss"));
  const others = panels
    .filter((panel) => panel !== loss)
    .map(({ title, y, y_scale, theory, y_range }): PanelShown => ({ title, y, scale: y_scale, theory, range: y_range }));
  const gradient = problem?.observables.some(({ name }) => name === "gradient.norm");
  if (problem && others.length === 0 && gradient) {
    others.push({ title: null, y: ["gradient.norm"], scale: "log", theory: [], range: null });
  }
  return {
    loss: { xScale: like?.x_scale ?? "log", scale: like?.y_scale ?? "linear", range: like?.y_range ?? null },
    others: others.slice(0, 4),
  };
}

/** Columns that differ only in the numbers of their names: `head.*.key`. */
export interface Family {
  name: string;
  members: Column[];
  /** What it is, where its system says. */
  meaning: string | undefined;
}

export function familiesOf(problem: Problem | null): Family[] {
  const families = new Map<string, Family>();
  for (const column of problem?.observables ?? []) {
    const name = familyOf(column.name);
    const family = families.get(name);
    if (family) family.members.push(column);
    else families.set(name, { name, members: [column], meaning: problem?.meanings[name] });
  }
  return [...families.values()];
}

/** Families that can be looked at as a matrix. */
export function mapsOf(problem: Problem | null): Family[] {
  return familiesOf(problem).filter(({ members }) => members.some(({ shape }) => shape.length >= 1 && shape.some((side) => side > 1)));
}

const MOST_CELLS = 4096;

/** Attention and the first other family of matrices that fits the screen. */
export function defaultMaps(problem: Problem | null): string[] {
  const fitting = mapsOf(problem).filter(
    ({ members }) => members.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0) <= MOST_CELLS,
  );
  const attention = fitting.filter(({ name }) => /attention/.test(name));
  const others = fitting.filter((family) => !attention.includes(family));
  return [...attention.slice(0, 1), ...others].slice(0, 2).map(({ name }) => name);
}
