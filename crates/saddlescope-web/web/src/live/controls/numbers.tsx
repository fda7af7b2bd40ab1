// A list of numbers: a slider and a field for each entry, and ways to have more or fewer.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readNumbers, writeNumber, writeNumbers } from "../literals";
import type { ControlProps } from "./field";
import { NumberField, Slider } from "./number";
import { LiteralControl } from "./plain";

const MOST_SLIDERS = 16;

/** What was typed into an entry and is no number, with the list that it was typed into. */
interface Refused {
  of: string | null;
  at: number;
  text: string;
}

export function NumbersControl(props: ControlProps): JSX.Element {
  const { id, slot, literal, put } = props;
  const [last, setLast] = useState<Refused | null>(null);
  // A list that was changed from elsewhere has nothing to do with what was typed before.
  const refused = last?.of === literal ? last : null;
  const values = readNumbers(literal);
  if (!values || values.length > MOST_SLIDERS) return <LiteralControl {...props} />;
  const stretch = slot.parameter.slider ?? stretchOf(values, slot.parameter.range?.least ?? null);
  const changed = (at: number, value: number): string => writeNumbers(values.map((old, i) => (i === at ? value : old)));
  const change = (at: number, value: number, how: "push" | "replace", event?: Event): void => {
    setLast(null);
    put(changed(at, value), how, event);
  };
  // What is no number stays in its field, marked, and does not reach the setting.
  const typed = (at: number, text: string | null, how: "push" | "replace", event?: Event): void => {
    const value = text === null ? NaN : Number(text);
    if (Number.isFinite(value)) change(at, value, how, event);
    else setLast({ of: literal, at, text: text ?? "" });
  };
  const resize = (next: number[], event: Event): void => {
    setLast(null);
    put(writeNumbers(next), "push", event);
  };
  return (
    <div class="numbers" role="group" aria-labelledby={`${id}-hint`} id={id}>
      {values.map((value, i) => (
        <div class="number" key={i}>
          <Slider
            label={`${slot.parameter.name}, entry ${i + 1}`}
            stretch={stretch}
            integer={false}
            value={value}
            onInput={(next, event) => change(i, next, "replace", event)}
            onDone={(next) => change(i, next, "push")}
          />
          <NumberField
            id={`${id}-${i}`}
            label={`${slot.parameter.name}, entry ${i + 1}, field`}
            literal={refused?.at === i ? refused.text : writeNumber(value)}
            wrong={refused?.at === i}
            optional={false}
            phrase=""
            write={writeNumber}
            put={(next, how, event) => typed(i, next, how, event)}
          />
        </div>
      ))}
      {refused && (
        <p class="trouble" role="alert" id={`${id}-${refused.at}-trouble`}>
          {refused.text === "" ? "an empty field" : `\`${refused.text}\``} is no number: entry {refused.at + 1} of {slot.parameter.name} stays at{" "}
          {values[refused.at]}
        </p>
      )}
      <div class="numbers-more">
        <button type="button" class="quiet small" onClick={(event) => resize([...values, values.at(-1) ?? stretch.least], event)}>
          + entry
        </button>
        {values.length > 1 && (
          <button type="button" class="quiet small" onClick={(event) => resize(values.slice(0, -1), event)}>
            − last
          </button>
        )}
      </div>
    </div>
  );
}

function stretchOf(values: number[], least: number | null): { least: number; most: number; scale: "linear" } {
  const most = Math.max(...values.map(Math.abs), 0.5) * 2;
  return { least: least === null ? -most : Math.max(least, 0), most, scale: "linear" };
}
