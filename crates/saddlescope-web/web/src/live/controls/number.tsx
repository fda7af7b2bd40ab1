// A number: a slider over its usual stretch, and a field that takes any value.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Slider as Stretch } from "../../data/contract";
import { readNumber, rounded, writeInteger, writeNumber } from "../literals";
import type { ControlProps } from "./field";

const STEPS = 400;

export function NumberControl({ id, slot, literal, wrong, put }: ControlProps): JSX.Element {
  const { parameter } = slot;
  const integer = parameter.type === "integer";
  const value = readNumber(literal);
  const write = (next: number): string => (integer ? writeInteger(next) : writeNumber(next));
  return (
    <div class="number">
      {parameter.slider && (
        <Slider
          label={`${parameter.name}, slider`}
          describedBy={`${id}-hint`}
          stretch={parameter.slider}
          integer={integer}
          value={value}
          onInput={(next, event) => put(write(next), "replace", event)}
          onDone={(next) => put(write(next), "push")}
        />
      )}
      <NumberField
        id={id}
        literal={literal}
        optional={parameter.presence === "optional"}
        phrase={parameter.phrase}
        wrong={wrong}
        write={write}
        put={put}
      />
    </div>
  );
}

interface SliderProps {
  label: string;
  describedBy?: string;
  stretch: Stretch;
  integer: boolean;
  value: number | null;
  onInput: (value: number, event: Event) => void;
  onDone: (value: number) => void;
}

export function Slider({ label, describedBy, stretch, integer, value, onInput, onDone }: SliderProps): JSX.Element {
  const { least, most, scale } = stretch;
  const log = scale === "log" && least > 0;
  // A short stretch of integers has a stop for each; anything else has many stops, rounded to three digits.
  const direct = integer && !log;
  const toPlace = (x: number): number => (log ? Math.log(x / least) / Math.log(most / least) : (x - least) / (most - least)) * STEPS;
  const fromPlace = (place: number): number => {
    if (place <= 0) return least;
    if (place >= STEPS) return most;
    const x = log ? least * (most / least) ** (place / STEPS) : least + ((most - least) * place) / STEPS;
    return integer ? Math.round(x) : rounded(x);
  };
  const read = (event: Event): number => {
    const place = Number((event.currentTarget as HTMLInputElement).value);
    return direct ? place : fromPlace(place);
  };
  const shown = value ?? least;
  const place = direct ? shown : Math.min(Math.max(toPlace(shown), 0), STEPS);
  const filled = direct ? (shown - least) / Math.max(most - least, 1) : place / STEPS;
  return (
    <input
      type="range"
      class="slider"
      min={direct ? least : 0}
      max={direct ? most : STEPS}
      step={direct ? 1 : "any"}
      value={Number.isFinite(place) ? place : 0}
      style={{ "--filled": `${Math.min(Math.max(filled, 0), 1) * 100}%` }}
      aria-label={label}
      aria-describedby={describedBy}
      aria-valuetext={value === null ? "not set" : String(value)}
      onInput={(event) => onInput(read(event), event)}
      onChange={(event) => onDone(read(event))}
      onKeyDown={(event) => {
        if (direct) return;
        // A key moves by a hundredth of the stretch, with Shift by a tenth.
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        const next = Math.min(Math.max(place + by * (event.shiftKey ? STEPS / 10 : STEPS / 100), 0), STEPS);
        onInput(fromPlace(next), event);
        onDone(fromPlace(next));
      }}
    />
  );
}

interface FieldProps {
  id: string;
  literal: string | null;
  optional: boolean;
  phrase: string;
  wrong?: boolean;
  /** Words for a field without a label of its own. */
  label?: string;
  write: (value: number) => string;
  put: ControlProps["put"];
}

/** Takes what is typed once it is a number; what is none goes to the server as it is when the field is left, for its words. */
export function NumberField({ id, literal, optional, phrase, wrong = false, label, write, put }: FieldProps): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  const number = readNumber(literal);
  const shown = number === null ? (literal ?? "") : String(number);
  const take = (text: string, how: "push" | "replace", event: Event): void => {
    const plain = text.trim();
    if (plain === "") put(null, how, event);
    else if (Number.isFinite(Number(plain))) put(write(Number(plain)) === plain ? plain : literalOf(plain, write), how, event);
    else if (how === "push") put(plain, how, event);
  };
  return (
    <input
      id={id}
      class="value"
      type="text"
      inputMode="decimal"
      autocomplete="off"
      spellcheck={false}
      value={typed ?? shown}
      placeholder={optional ? "none" : phrase}
      aria-label={label}
      aria-invalid={wrong}
      aria-describedby={wrong ? `${id}-trouble ${id}-hint` : `${id}-hint`}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        if (event.currentTarget.value.trim() !== "") take(event.currentTarget.value, "replace", event);
      }}
      onChange={(event) => {
        take(event.currentTarget.value, "push", event);
        setTyped(null);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** What was typed keeps its digits: 1e-7 stays 1e-7, 2 becomes 2.0 where a number is wanted. */
function literalOf(text: string, write: (value: number) => string): string {
  return /[.e]/i.test(text) && !/^[.]|[.]$|[.]e/i.test(text) ? text : write(Number(text));
}
