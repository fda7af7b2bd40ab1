// Light and dark, and the colours that canvases are painted with.
import { computed, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const dark = matchMedia("(prefers-color-scheme: dark)");
const kept = document.documentElement.dataset["theme"];
const chosen = signal<Theme | null>(kept === "light" || kept === "dark" ? kept : null);
const preferred = signal<Theme>(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => (preferred.value = dark.matches ? "dark" : "light"));

export const theme = computed<Theme>(() => chosen.value ?? preferred.value);

export function turn(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem("theme", next);
  } catch {
    // Storage may be forbidden; then the choice holds until the page is left.
  }
  chosen.value = next;
}

const NAMES = ["paper", "ink", "soft", "faint", "line", "strong", "accent", "shade"] as const;

export interface Ink extends Record<(typeof NAMES)[number], string> {
  /** Colours of lines, told apart by people with any colour vision (after Okabe and Ito). */
  lines: string[];
}

const LINES: Record<Theme, string[]> = {
  light: ["#0b67b2", "#d05000", "#00825f", "#b5548c", "#a87200", "#3a97cf", "#5a5f66", "#7a4fb5"],
  dark: ["#58aef0", "#ff8f4a", "#2fc79b", "#e796c4", "#e8b53a", "#8fd0f7", "#aeb5bc", "#b79aeb"],
};

export const ink = computed<Ink>(() => {
  const lines = LINES[theme.value];
  const style = getComputedStyle(document.documentElement);
  const colours = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return { ...(Object.fromEntries(colours) as Omit<Ink, "lines">), lines };
});

/** Dash patterns: a run keeps its pattern in every chart. */
export const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [6, 2, 2, 2, 2, 2], [1, 4]];
