// The frame of every control: name, hint, mark of what differs, way back, and the server's words where it is to blame.
import type { ComponentChildren, JSX } from "preact";
import type { Slot } from "../declared";
import { shortKey } from "../declared";
import type { Trouble as Wrong } from "../curve";
import { Trouble } from "../../ui/trouble";

export interface ControlProps {
  id: string;
  slot: Slot;
  literal: string | null;
  /** Whether the server has refused it. */
  wrong: boolean;
  /** Sets the literal: while a drag goes on, or for good. */
  put: (literal: string | null, how: "push" | "replace", event?: Event) => void;
}

interface Props {
  slot: Slot;
  id: string;
  trouble: Wrong | null;
  changed: boolean;
  onReset: () => void;
  children: ComponentChildren;
}

export function hintOf({ parameter, key }: Slot): string {
  const unit = parameter.unit ? ` [${parameter.unit}]` : "";
  const example = parameter.literal === null ? "" : ` ${parameter.presence === "default" ? "Default" : "Example"}: ${parameter.literal}.`;
  return `${parameter.about}${unit}. ${key}: ${parameter.phrase}.${example}`;
}

/** A name that may go on in the next line after any of its underscores. */
function Name({ text }: { text: string }): JSX.Element {
  return <>{text.split("_").map((part, i) => (i === 0 ? part : [<wbr key={i} />, `_${part}`]))}</>;
}

export function Field({ slot, id, trouble, changed, onReset, children }: Props): JSX.Element {
  const { key, parameter } = slot;
  const wrong = trouble !== null;
  return (
    <div class={`field ${changed ? "changed" : ""} ${wrong ? "wrong" : ""}`} data-key={key}>
      <div class="field-head">
        <label for={id} title={hintOf(slot)}>
          <Name text={shortKey(key)} />
          {parameter.unit && <span class="unit">{parameter.unit}</span>}
        </label>
        {changed && (
          <button type="button" class="reset" onClick={onReset} title="Back to default" aria-label={`${shortKey(key)}: back to default`}>
            ↺
          </button>
        )}
      </div>
      {children}
      <p id={`${id}-hint`} class="unseen">
        {hintOf(slot)}
      </p>
      <Trouble words={trouble?.words} id={`${id}-trouble`} />
    </div>
  );
}
