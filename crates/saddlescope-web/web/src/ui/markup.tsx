// Text with formulas between dollar signs: plain at first, set as mathematics once KaTeX is there.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { plainOf } from "./plain";

type Mathematics = typeof import("../mathematics");

const mathematics = signal<Mathematics | null>(null);
let asked = false;

function load(): void {
  if (asked) return;
  asked = true;
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/assets/mathematics.css";
  const styled = new Promise((done) => {
    style.onload = done;
    style.onerror = done;
  });
  document.head.append(style);
  const path = "/assets/mathematics.js";
  const loaded = import(path) as Promise<Mathematics>;
  // Without KaTeX the plain text stays.
  Promise.all([loaded, styled]).then(
    ([module]) => (mathematics.value = module),
    () => undefined,
  );
}

const rendered = new Map<string, string>();

function formula(tex: string, display: boolean): string | null {
  if (!mathematics.value) {
    load();
    return null;
  }
  const key = (display ? "d" : "t") + tex;
  let html = rendered.get(key);
  if (html === undefined) {
    html = mathematics.value.render(tex, display);
    rendered.set(key, html);
  }
  return html;
}

/** A formula on its own. */
export function Formula({ tex, display = false }: { tex: string; display?: boolean }): JSX.Element {
  const html = formula(tex, display);
  if (html === null) return <span class="formula">{plainOf(tex)}</span>;
  return <span class="formula" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Text in the laboratory's markup: `loss $\mathcal{L}$`. */
export function Markup({ text }: { text: string }): JSX.Element {
  const pieces = text.split("$");
  if (pieces.length < 3) return <>{text}</>;
  return <>{pieces.map((piece, i) => (i % 2 === 1 ? <Formula key={i} tex={piece} /> : piece))}</>;
}
