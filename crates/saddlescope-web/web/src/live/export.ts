// The view as a plan of the laboratory: what all runs have in common, and a run for each line.
import type { SettingsMap } from "../data/contract";
import { plainLabel } from "../ui/plain";
import { mainLabel, pinLabels } from "./runs";
import type { LiveModel } from "./model";

/** The body of a request for an export. */
export function exportOf(model: LiveModel): object {
  const runs = [{ label: mainLabel(model), set: model.counting.value }];
  for (const { id, set } of model.with.value) {
    const companion = model.declaration.companions.find((one) => one.id === id);
    const settings = companion && model.beside.applies(companion) && model.beside.settingsOf(companion, set);
    if (companion && settings) runs.push({ label: plainLabel(companion.label), set: settings });
  }
  const labels = pinLabels(model);
  model.view.value.pins.forEach((pin, i) => runs.push({ label: labels[i] ?? "", set: pin }));
  const common = shared(runs.map(({ set }) => set));
  const zoom = model.view.value.zoom;
  const x_scale = model.timeScale.value;
  const loss = model.main.problem.value?.figure.find(({ y }) => y.length === 1 && y[0] === "loss");
  return {
    system: model.declaration.name,
    set: common,
    runs: runs.map(({ label, set }) => ({ label, set: without(set, common) })),
    panels: [
      { y: ["loss"], x_scale, y_scale: model.lossScale.value, x_range: zoom, theory: loss?.theory ?? [] },
      ...model.panels.value.map(({ y, scale, theory }) => ({ y, x_scale, y_scale: scale, x_range: zoom, theory })),
    ],
  };
}

function shared(sets: SettingsMap[]): SettingsMap {
  const [first = {}, ...others] = sets;
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => others.every((set) => set[key] === value)));
}

function without(set: SettingsMap, common: SettingsMap): SettingsMap {
  return Object.fromEntries(Object.entries(set).filter(([key]) => !(key in common)));
}
