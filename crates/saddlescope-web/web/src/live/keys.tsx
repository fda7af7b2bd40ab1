// Keys for what is done often, and the card that lists them.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { LiveModel } from "./model";
import { play } from "./play";
import { step, zoomBy } from "./time";

const KEYS: [string, string][] = [
  ["L", "time logarithmic or linear"],
  ["Y", "loss logarithmic or linear"],
  ["P", "pin this run"],
  ["Space", "let time run, or stop it"],
  ["[ and ]", "one sample back or on; with Shift twenty"],
  ["+ and −", "zoom in and out around the time that is looked at"],
  ["0", "the whole time"],
  ["S", "saddle ladder"],
  ["/", "search settings"],
  ["?", "this card"],
];

export function useKeys(model: LiveModel, help: (open: boolean) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const typing = target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && target.closest("button, summary, a, input")) return;
      const act = actionOf(event.key, model, help);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [model]);
}

function actionOf(key: string, model: LiveModel, help: (open: boolean) => void): (() => void) | null {
  const other = (scale: "log" | "linear"): "log" | "linear" => (scale === "log" ? "linear" : "log");
  switch (key) {
    case "l":
    case "L":
      return () => model.change({ time: other(model.timeScale.value), zoom: null });
    case "y":
    case "Y":
      return () => model.change({ loss: other(model.lossScale.value) });
    case "p":
    case "P":
      return () => model.pin();
    case "s":
    case "S":
      return () => model.change({ ladder: !model.view.value.ladder });
    case " ":
      return () => play(model);
    case "[":
    case "{":
      return () => step(model, key === "{" ? -20 : -1);
    case "]":
    case "}":
      return () => step(model, key === "}" ? 20 : 1);
    case "+":
    case "=":
      return () => zoomBy(model, 0.5);
    case "-":
      return () => zoomBy(model, 2);
    case "0":
      return () => model.change({ zoom: null });
    case "/":
      return () => document.querySelector<HTMLElement>(".search")?.focus();
    case "?":
      return () => help(true);
    default:
      return null;
  }
}

export function KeyCard({ open, onClose }: { open: boolean; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="card" aria-label="Keys" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, says]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <p class="faint">In charts: drag to zoom, double click for the whole time, click to look at a time.</p>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
