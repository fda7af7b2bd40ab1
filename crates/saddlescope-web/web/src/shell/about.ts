// What the program says about itself, asked once.
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
