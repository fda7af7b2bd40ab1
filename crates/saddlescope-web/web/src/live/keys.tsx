// Keys for what is done often, and the card that lists them.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Scale } from "../charts/trace";
import { useListener } from "../ui/use-listener";
import type { LiveModel } from "./model";
import { play, step, zoomBy } from "./play";

interface Key {
  shown: string;
  says: string;
  /** What each key does; with Shift, letters and brackets are others. */
  acts: Record<string, (model: LiveModel) => void>;
}

const other = (scale: Scale): Scale => (scale === "log" ? "linear" : "log");

const KEYS: Key[] = [
  { shown: "L", says: "time logarithmic or linear", acts: { l: (model) => model.change({ time: other(model.timeScale.value), zoom: null }) } },
  { shown: "Y", says: "loss logarithmic or linear", acts: { y: (model) => model.change({ loss: other(model.lossScale.value) }) } },
  { shown: "P", says: "pin this run", acts: { p: (model) => model.pin() } },
  { shown: "Space", says: "let time run, or stop it", acts: { " ": play } },
  {
    shown: "[ and ]",
    says: "one sample back or on; with Shift twenty",
    acts: { "[": (model) => step(model, -1), "{": (model) => step(model, -20), "]": (model) => step(model, 1), "}": (model) => step(model, 20) },
  },
  {
    shown: "+ and −",
    says: "zoom in and out around the time that is looked at",
    acts: { "+": (model) => zoomBy(model, 0.5), "=": (model) => zoomBy(model, 0.5), "-": (model) => zoomBy(model, 2) },
  },
  { shown: "0", says: "the whole time", acts: { "0": (model) => model.change({ zoom: null }) } },
  { shown: "S", says: "saddle ladder", acts: { s: (model) => model.change({ ladder: !model.view.value.ladder }) } },
  { shown: "/", says: "search settings", acts: { "/": () => document.querySelector<HTMLElement>(".search")?.focus() } },
  { shown: "?", says: "this card", acts: {} },
];

export function useKeys(model: LiveModel, help: (open: boolean) => void): void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    const typing = target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && target.closest("button, summary, a, input")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = name === "?" ? () => help(true) : KEYS.find(({ acts }) => acts[name])?.acts[name];
    if (!act) return;
    event.preventDefault();
    act(model);
  };
  useListener(["keydown"], onKeyDown, [model]);
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
        {KEYS.map(({ shown, says }) => (
          <div key={shown}>
            <dt>
              <kbd>{shown}</kbd>
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
