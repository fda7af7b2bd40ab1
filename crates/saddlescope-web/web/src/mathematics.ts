// The part of the page that sets formulas: loaded when the first one is met.
import "katex/dist/katex.css";
import katex from "katex";

/** A formula as HTML; what KaTeX cannot read comes back as text in its colour of errors. */
export function render(tex: string, display: boolean): string {
  return katex.renderToString(tex, { displayMode: display, throwOnError: false, strict: "ignore", output: "htmlAndMathml" });
}
