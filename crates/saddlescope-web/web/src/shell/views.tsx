// The views of the page, by the beginning of their path.
import type { JSX } from "preact";
import { LiveView } from "../live/view";
import { PapersView } from "../papers/view";
import { RunsView } from "../runs/view";
import { about } from "./about";

export interface ViewEntry {
  /** The first part of the path. */
  path: string;
  /** Its tab, beside those of the systems; the Live view has one per system instead. */
  tab: string | null;
  view: (props: { rest: string; query: string }) => JSX.Element;
}

function Live({ rest }: { rest: string }): JSX.Element {
  const system = rest || about.value?.systems[0]?.name;
  return system ? <LiveView key={system} system={system} /> : <main class="outline" aria-busy="true" />;
}

export const VIEWS: ViewEntry[] = [
  { path: "live", tab: null, view: Live },
  { path: "runs", tab: "Runs", view: RunsView },
  { path: "papers", tab: "Papers", view: PapersView },
];
