// Formulas as plain text: what is read out, written into files, and shown until KaTeX is there.
import table from "./signs.json";

/** How TeX commands without arguments read, and what others put after their argument: the table of saddlescope-draw. */
const SIGNS: Record<string, string> = table.signs;
const MARKS: Record<string, string> = table.marks;
const LOWERED = "₀₁₂₃₄₅₆₇₈₉";

/** Commands with arguments, from the inside out. */
function applied(text: string): string {
  const next = text
    .replace(/\\([A-Za-z]+)\s*(?:\{([^{}]*)\}|([^\\{}]))/g, (whole, name: string, group?: string, sign?: string) => {
      const mark = MARKS[name];
      return mark === undefined ? whole : `${group ?? sign}${mark}`;
    })
    .replace(/\\sqrt\s*\{([^{}]*)\}/g, "√($1)")
    .replace(/\\t?frac\s*\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2");
  return next === text ? text : applied(next);
}

/** A TeX formula in plain characters, as well as they go. */
export function plainOf(tex: string): string {
  const signs = tex.replace(/\\([A-Za-z]+|.)/g, (command, name: string) =>
    name === "{" ? "\u0001" : name === "}" ? "\u0002" : (SIGNS[name] ?? command),
  );
  return applied(signs)
    .replace(/_\{?(\d+)\}?/g, (_, digits: string) => [...digits].map((d) => LOWERED[Number(d)] ?? d).join(""))
    .replace(/[{}]/g, "")
    .replace(/\u0001/g, "{")
    .replace(/\u0002/g, "}");
}

/** A label of the laboratory without its dollar signs. */
export function plainLabel(text: string): string {
  return text
    .split("$")
    .map((piece, i) => (i % 2 === 1 ? plainOf(piece) : piece))
    .join("");
}
