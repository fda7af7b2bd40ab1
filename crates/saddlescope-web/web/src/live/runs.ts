// The runs that are drawn: the main one, its companions and the pinned ones, each with its colour and dashes.
import { DASHES, ink } from "../shell/theme";
import type { Curve } from "./curve";
import type { LiveModel } from "./model";
import { pinNames } from "./names";

export interface RunShown {
  key: string;
  label: string;
  curve: Curve;
  colour: string;
  dash: number[];
  width: number;
}

export function runsShown(model: LiveModel): RunShown[] {
  const { lines } = ink.value;
  const colour = (i: number): string => colourOf(lines, i);
  const dash = (i: number): number[] => DASHES[i % DASHES.length] ?? [];
  const { companions } = model.declaration;
  const runs: RunShown[] = [{ key: "main", label: mainLabel(model), curve: model.main, colour: colour(0), dash: [], width: 2 }];
  for (const [id, curve] of model.beside.companions.value) {
    const at = companions.findIndex((one) => one.id === id);
    // Places are the declaration's, so that a companion keeps its colour whoever else is on.
    runs.push({ key: `with-${id}`, label: companions[at]?.label ?? id, curve, colour: colour(at + 1), dash: dash(at + 1), width: 1.6 });
  }
  const first = companions.length + 1;
  const labels = pinLabels(model);
  model.beside.pins.value.forEach((curve, i) => {
    runs.push({ key: `pin-${i}`, label: labels[i] ?? "", curve, colour: colour(first + i), dash: dash(first + i), width: 1.4 });
  });
  return runs;
}

/** The first colour is the main run's alone. */
export function colourOf(lines: string[], place: number): string {
  return lines[place === 0 ? 0 : 1 + ((place - 1) % (lines.length - 1))] ?? "";
}

/** What the main run is called: how its parameters move. */
export function mainLabel(model: LiveModel): string {
  const kind = model.counting.value["dynamics.kind"] ?? `"${model.declaration.sections.dynamics.kind ?? "run"}"`;
  return kind.replace(/"/g, "");
}

/** What the pinned runs are called, in their order. */
export function pinLabels(model: LiveModel): string[] {
  return pinNames(model.declaration, model.counting.value, model.view.value.pins);
}
