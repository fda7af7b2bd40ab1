// A list of numbers: a slider and a field for each entry, and ways to have more or fewer.
import type { JSX } from "preact";
import { readNumbers, writeNumber, writeNumbers } from "../literals";
import type { ControlProps } from "./field";
import { NumberField, Slider } from "./number";
import { LiteralControl } from "./plain";

const MOST_SLIDERS = 16;

export function NumbersControl(props: ControlProps): JSX.Element {
  const { id, slot, literal, put } = props;
  const values = readNumbers(literal);
  if (!values || values.length > MOST_SLIDERS) return <LiteralControl {...props} />;
  const stretch = slot.parameter.slider ?? stretchOf(values, slot.parameter.range?.least ?? null);
  const changed = (at: number, value: number): string => writeNumbers(values.map((old, i) => (i === at ? value : old)));
  const last = values[values.length - 1];
  return (
    <div class="numbers" role="group" aria-labelledby={`${id}-hint`} id={id}>
      {values.map((value, i) => (
        <div class="number" key={i}>
          <Slider
            label={`${slot.parameter.name}, entry ${i + 1}`}
            stretch={stretch}
            integer={false}
            value={value}
            onInput={(next, event) => put(changed(i, next), "replace", event)}
            onDone={(next) => put(changed(i, next), "push")}
          />
          <NumberField
            id={`${id}-${i}`}
            label={`${slot.parameter.name}, entry ${i + 1}, field`}
            literal={writeNumber(value)}
            optional={false}
            phrase=""
            write={writeNumber}
            put={(next, how, event) => {
              if (next !== null) put(changed(i, Number(next)), how, event);
            }}
          />
        </div>
      ))}
      <div class="numbers-more">
        <button type="button" class="quiet small" onClick={(event) => put(writeNumbers([...values, last ?? stretch.least]), "push", event)}>
          + entry
        </button>
        {values.length > 1 && (
          <button type="button" class="quiet small" onClick={(event) => put(writeNumbers(values.slice(0, -1)), "push", event)}>
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
