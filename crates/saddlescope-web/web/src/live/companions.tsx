// On one clock: other dynamics from the same start, and pinned runs, each with its line.
import type { JSX } from "preact";
import { Swatch } from "../charts/legend";
import type { Companion } from "../data/contract";
import { DASHES, ink } from "../shell/theme";
import { Markup } from "../ui/markup";
import { effective, sameSettings, shortKey, slotsOf } from "./declared";
import type { CompanionOn } from "./link";
import { NumberField } from "./controls/number";
import { writeInteger, writeNumber } from "./literals";
import type { LiveModel } from "./model";
import { colourOf, pinLabels } from "./runs";

export function Clock({ model }: { model: LiveModel }): JSX.Element {
  const on = model.with.value;
  return (
    <div class="clock" role="group" aria-label="Runs on one clock">
      <span class="clock-name">On one clock</span>
      {model.declaration.companions.map((companion, i) => {
        const shown = on.find(({ id }) => id === companion.id);
        // What the main run does anyway need not run beside it.
        if (!shown && sameSettings(effective(model.declaration, { ...model.counting.value, ...companion.set }), model.counting.value))
          return null;
        return <Chip key={companion.id} model={model} companion={companion} place={i + 1} on={shown} />;
      })}
      {pinLabels(model).map((label, i) => (
        <Pin key={`pin-${i}`} model={model} at={i} label={label} />
      ))}
      <button
        type="button"
        class="quiet small"
        onClick={() => model.pin()}
        title="Keep the present run for comparison (P)"
        disabled={!model.main.recording.value}
      >
        Pin this run
      </button>
    </div>
  );
}

interface ChipProps {
  model: LiveModel;
  companion: Companion;
  place: number;
  on: CompanionOn | undefined;
}

function Chip({ model, companion, place, on }: ChipProps): JSX.Element {
  const curve = model.beside.companions.value.get(companion.id);
  const trouble = curve?.trouble.value;
  const { lines } = ink.value;
  const applies = model.beside.applies(companion);
  const title = applies ? (trouble?.words ?? companion.about) : `${companion.about}: does not apply to these settings`;
  const busy = curve && curve.progress.value !== null;
  return (
    <span class={`chip ${on ? "on" : ""} ${busy ? "busy" : ""} ${trouble ? "wrong" : ""} ${applies ? "" : "absent"}`}>
      <button
        type="button"
        class="chip-name"
        aria-pressed={on !== undefined}
        title={title}
        disabled={!applies && !on}
        onClick={() => model.toggle(companion.id)}
      >
        {on && <Swatch colour={colourOf(lines, place)} dash={DASHES[place % DASHES.length] ?? []} />}
        <Markup text={companion.label} />
      </button>
      {on && companion.fields.map((key) => <ChipField key={key} model={model} companion={companion} on={on} field={key} />)}
      {on && trouble && (
        <span class="trouble" role="alert">
          {trouble.words}
        </span>
      )}
    </span>
  );
}

type ChipFieldProps = Pick<ChipProps, "model" | "companion"> & { on: CompanionOn; field: string };

function ChipField({ model, companion, on, field }: ChipFieldProps): JSX.Element | null {
  const set = { ...model.counting.value, ...companion.set, ...on.set };
  const slot = slotsOf(model.declaration, set).find(({ key }) => key === field);
  if (!slot) return null;
  const settings = model.beside.settingsOf(companion, on.set);
  const literal = on.set[field] ?? settings?.[field] ?? companion.set[field] ?? slot.parameter.literal;
  const id = `with-${companion.id}-${field.replace(/\W/g, "-")}`;
  return (
    <label class="chip-field" title={slot.parameter.about}>
      {shortKey(field)}
      <NumberField
        id={id}
        literal={literal}
        optional={false}
        phrase=""
        write={slot.parameter.type === "integer" ? writeInteger : writeNumber}
        put={(next, how) => model.putCompanion(companion.id, field, next, how)}
      />
      <span id={`${id}-hint`} class="unseen">
        {slot.parameter.about}
      </span>
    </label>
  );
}

function Pin({ model, at, label }: { model: LiveModel; at: number; label: string }): JSX.Element {
  const pin = model.view.value.pins[at] ?? {};
  const { lines } = ink.value;
  const place = model.declaration.companions.length + 1 + at;
  const trouble = model.beside.pins.value[at]?.trouble.value;
  const settings = Object.entries(pin).map((pair) => pair.join(" = "));
  return (
    <span
      class={`chip on pin ${trouble ? "wrong" : ""}`}
      title={trouble?.words ?? settings.join("\n")}
    >
      <button type="button" class="chip-name" title="Take these settings up again" onClick={() => model.startFrom(pin)}>
        <Swatch colour={colourOf(lines, place)} dash={DASHES[place % DASHES.length] ?? []} />
        {label}
      </button>
      <button type="button" class="chip-close" aria-label={`Remove the pinned run ${label}`} onClick={() => model.unpin(at)}>
        ×
      </button>
    </span>
  );
}
