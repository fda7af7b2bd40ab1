// The view of stored runs: the list, or one of them.
import type { JSX } from "preact";
import type { PlanTold, SweepTold, Tree } from "../data/stored";
import { readJson, SELDOM, SOON, useWatched, Watched } from "../data/watch";
import { about } from "../shell/about";
import { note } from "../shell/route";
import { Trouble } from "../ui/trouble";
import { useListener } from "../ui/use-listener";
import { linkOf, listOf, type ListView } from "./address";
import { Compare } from "./compare";
import { Filters, RunList } from "./list";
import { PlanPage } from "./plan";
import { RunPage } from "./run";
import { inAddress, readRun, type StoredRun } from "./stored";
import { SweepPage } from "./sweep";

export function RunsView({ rest, query }: { rest: string; query: string }): JSX.Element {
  return rest ? <One key={rest} path={rest} query={query} /> : <All query={query} />;
}

function All({ query }: { query: string }): JSX.Element {
  const watched = useWatched("runs", () => new Watched<Tree>("/api/runs", readJson, ({ runs }) => (runs.some(({ state }) => state === "running") ? SOON : SELDOM)));
  const view = listOf(query);
  const tree = watched.value.value;
  const change = (next: Partial<ListView>, how: "push" | "replace" = "push"): void => note(linkOf({ ...listOf(location.search), ...next }), how);
  const search = (event: KeyboardEvent): void => {
    const typing = (event.target as Element).matches("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    document.querySelector<HTMLInputElement>(".filters .search")?.focus();
  };
  useListener(["keydown"], search, []);
  const entries = tree?.runs ?? [];
  const comparing = view.chosen.length > 0;
  return (
    <main class={`runs ${comparing ? "comparing" : ""}`} tabIndex={-1} aria-busy={watched.waiting.value}>
      <div class="runs-side">
        {tree && <Filters entries={entries} view={view} onChange={change} />}
        <Trouble words={watched.trouble.value} air />
        {tree?.cut && <p class="meaning air">{tree.cut}</p>}
        {tree && entries.length > 0 && <RunList entries={entries} view={view} onChange={change} />}
        {tree && entries.length === 0 && <Empty />}
      </div>
      {comparing && <Compare view={view} onChange={change} />}
    </main>
  );
}

function Empty(): JSX.Element {
  return (
    <div class="plain">
      <h1>No runs yet</h1>
      <p class="meaning">{about.value?.runs ? `There is nothing in ${about.value.runs}.` : "The folder of runs is not there yet."} These commands leave runs to look at:</p>
      <pre>saddlescope run linear-attention{"\n"}saddlescope reproduce linear-attention/fig1{"\n"}saddlescope sweep sweep.toml --out runs</pre>
    </div>
  );
}

type ViewSource = { kind: "run"; run: StoredRun } | PlanTold | SweepTold;

async function readViewSource(answer: Response): Promise<ViewSource> {
  const frames = answer.headers.get("content-type") === "application/octet-stream";
  return frames ? { kind: "run", run: await readRun(answer) } : readJson<PlanTold | SweepTold>(answer);
}

const grows = (told: ViewSource): number | null => {
  if (told.kind === "sweep") return null;
  const { state } = told.kind === "run" ? told.run.stored.entry : told.entry;
  return state === "running" ? SOON : null;
};

function One({ path, query }: { path: string; query: string }): JSX.Element {
  const watched = useWatched(path, () => new Watched<ViewSource>(`/api/runs/${inAddress(path)}`, readViewSource, grows));
  const told = watched.value.value;
  const trouble = watched.trouble.value;
  if (told?.kind === "sweep") return <SweepPage path={path} query={query} />;
  return (
    <main class="stored" tabIndex={-1} aria-busy={watched.waiting.value}>
      {trouble && <p class="trouble air" role="alert">{trouble} <a href="/runs">All runs</a></p>}
      {told?.kind === "run" && <RunPage run={told.run} query={query} />}
      {told?.kind === "plan" && <PlanPage plan={told} />}
    </main>
  );
}
