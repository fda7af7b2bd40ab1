// The charts below the loss: the system's own figure, or whatever columns people pick.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { Chart } from "../charts/chart";
import { Legend } from "../charts/legend";
import { Scrubber } from "../charts/scrubber";
import { Markup } from "../ui/markup";
import { Menu } from "../ui/menu";
import { plainLabel } from "../ui/plain";
import type { PanelChoice } from "./link";
import type { LiveModel } from "./model";
import { type Family, type PanelShown } from "./picks";
import { ScaleSwitch } from "./scales";
import { columnMarks, columnTraces } from "./traces";
import { chartInWords } from "./words";

export function Panels({ model }: { model: LiveModel }): JSX.Element {
  const panels = model.panels.value;
  const choices = (): PanelChoice[] => panels.map(({ y, scale }) => ({ y, scale }));
  const change = (at: number, choice: PanelChoice | null): void => {
    const next = choices();
    if (choice) next[at] = choice;
    else next.splice(at, 1);
    model.change({ panels: next });
  };
  return (
    <div class="panels">
      {panels.map((panel, i) => (
        <ColumnChart key={i} model={model} panel={panel} index={i} onChange={(choice) => change(i, choice)} />
      ))}
      <button
        type="button"
        class="quiet small add"
        onClick={() => model.change({ panels: [...choices(), { y: ["gradient.norm"], scale: "log" }] })}
      >
        + chart
      </button>
    </div>
  );
}

function titleOf(panel: PanelShown, families: Family[]): string {
  if (panel.title) return panel.title.replace(/^\([a-z]\)\s*/, "");
  return panel.y.map((pattern) => labelOf(families.find(({ name }) => name === pattern)) ?? pattern).join(", ");
}

/** The label of a family's only member. */
function labelOf(family: Family | undefined): string | null {
  return (family?.members.length === 1 && family.members[0]?.label) || null;
}

interface Props {
  model: LiveModel;
  panel: PanelShown;
  index: number;
  onChange: (choice: PanelChoice | null) => void;
}

function ColumnChart({ model, panel, index, onChange }: Props): JSX.Element {
  const traces = useComputed(() => columnTraces(model.runs.value, model.panels.value[index]?.y ?? []));
  const marks = useComputed(() => columnMarks(model.main.recording.value, model.panels.value[index]?.y ?? []));
  const clock = model.clock.value;
  const at = model.at.value;
  const title = titleOf(panel, model.families());
  return (
    <section class="panel small-panel" aria-label={plainLabel(title)}>
      <div class="panel-head">
        <h2>
          <Markup text={title} />
        </h2>
        <div class="tools">
          <ColumnPicker families={model.families()} chosen={panel.y} onChange={(y) => onChange({ y, scale: panel.scale })} />
          <ScaleSwitch of="y" scale={panel.scale} onChange={(scale) => onChange({ y: panel.y, scale })} />
          <button
            type="button"
            class="quiet small"
            aria-label={`Remove the chart of ${plainLabel(title)}`}
            title="Remove this chart"
            onClick={() => onChange(null)}
          >
            ×
          </button>
        </div>
      </div>
      <Legend traces={traces.value} marks={marks.value} time={model.reading} />
      {!model.main.recording.value && model.main.trouble.value ? (
        <p class="nothing">nothing to show yet</p>
      ) : (
        <Chart
          traces={traces.value}
          marks={marks.value}
          xScale={model.timeScale.value}
          yScale={panel.scale}
          zoom={model.view.value.zoom}
          values={panel.range}
          clock={clock}
          summary={chartInWords(plainLabel(title), model.main.recording.value, traces.value)}
          onZoom={(zoom) => model.change({ zoom })}
          onCursor={(time) => (model.cursor.value = time)}
          onPick={(time) => model.change({ at: time })}
          overlay={(plot, drawn) => at !== null && <Scrubber plot={plot} drawn={drawn} time={at} times={clock} text="" still />}
        />
      )}
    </section>
  );
}

interface PickerProps {
  families: Family[];
  chosen: string[];
  onChange: (names: string[]) => void;
}

export function ColumnPicker({ families, chosen, onChange }: PickerProps): JSX.Element {
  return (
    <Menu label="columns" title="Which columns are shown" align="right" small>
      {() => (
        <div class="checks" role="group" aria-label="Columns">
          {families.map((family) => (
            <label key={family.name} class="check" title={family.meaning}>
              <input
                type="checkbox"
                checked={chosen.includes(family.name)}
                onChange={(event) =>
                  onChange(event.currentTarget.checked ? [...chosen, family.name] : chosen.filter((name) => name !== family.name))
                }
              />
              <span>{family.name}</span>
              <span class="faint">
                <Markup text={family.members[0]?.label ?? ""} />
                {family.members.length > 1 ? " …" : ""}
              </span>
            </label>
          ))}
        </div>
      )}
    </Menu>
  );
}
