// What the program says about itself, asked once; and what its systems are called.
import { signal } from "@preact/signals";
import type { About } from "../data/contract";
import { getJson, words } from "../data/fetch";

export const about = signal<About | null>(null);
export const aboutTrouble = signal<string | null>(null);

export async function askAbout(): Promise<void> {
  try {
    about.value = await getJson<About>("/api/about");
    aboutTrouble.value = null;
  } catch (error) {
    aboutTrouble.value = words(error);
  }
}

/** `linear-attention` as a tab: "Linear attention". */
export function systemName(name: string): string {
  const spaced = name
    .replace(/-/g, " ")
    .replace(/\bmarkov\b/, "Markov")
    .replace(/^ngram\b/, "n-gram");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The title of its paper; a system that no paper is about has its name. */
export function titleOf({ name, title }: { name: string; title: string }): string {
  return title || systemName(name);
}
