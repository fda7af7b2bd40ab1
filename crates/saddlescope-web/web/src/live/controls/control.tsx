// The control that fits a parameter's type.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import type { ValueType } from "../../data/contract";
import { fallback, type Slot } from "../declared";
import { read, readNumbers, readText, same } from "../literals";
import type { LiveModel } from "../model";
import { Field, type ControlProps } from "./field";
import { NumberControl } from "./number";
import { NumbersControl } from "./numbers";
import { ChoiceControl, LiteralControl, SwitchControl } from "./plain";

type Shape = "number" | "numbers" | "choice" | "switch" | "literal";

function shapeOf(type: ValueType): Shape {
  if (typeof type === "object") return "choice" in type ? "choice" : "literal";
  if (type === "integer" || type === "number") return "number";
  if (type === "numbers" || type === "switch") return type;
  return "literal";
}

/** Where several types are allowed, the value that is set decides. */
function shapeNow(type: ValueType | ValueType[], literal: string | null): Shape {
  if (!Array.isArray(type)) return shapeOf(type);
  const shapes = type.map(shapeOf);
  const value = literal === null ? undefined : read(literal);
  if (typeof value === "number" && shapes.includes("number")) return "number";
  if (readText(literal) !== null && shapes.includes("choice")) return "choice";
  if (readNumbers(literal) && shapes.includes("numbers")) return "numbers";
  return "literal";
}

const CONTROLS: Record<Shape, (props: ControlProps) => JSX.Element> = {
  number: NumberControl,
  numbers: NumbersControl,
  choice: ChoiceControl,
  switch: SwitchControl,
  literal: LiteralControl,
};

export function Control({ model, slot }: { model: LiveModel; slot: Slot }): JSX.Element {
  const { key, parameter } = slot;
  const id = `set-${key.replace(/\W/g, "-")}`;
  const opening = model.declaration.view.set[key] ?? fallback(parameter);
  // Only what is set here is read, so that a slider that moves leaves all others alone.
  const own = useComputed(() => model.set.value[key]).value;
  const literal = own ?? fallback(parameter);
  const changed = own !== undefined && (opening === null || !same(own, opening));
  const trouble = useComputed(() => (model.main.trouble.value?.key === key ? model.main.trouble.value : null)).value;
  const shape = shapeNow(parameter.type, literal);
  const Shown = CONTROLS[shape];
  const mixed = Array.isArray(parameter.type) && shape !== "literal";
  const props: ControlProps = { id, slot, literal, wrong: trouble !== null, put: (next, how, event) => model.put(key, next, how, event) };
  return (
    <Field slot={slot} id={id} trouble={trouble} changed={changed} onReset={() => model.put(key, null, "push")}>
      <Shown {...props} />
      {mixed && (
        <details class="otherwise">
          <summary>otherwise</summary>
          <LiteralControl {...props} id={`${id}-literal`} />
        </details>
      )}
    </Field>
  );
}
