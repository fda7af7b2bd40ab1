// A sweep: its figure, and its table page by page, sorted and filtered where it lies.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SweepTold } from "../data/stored";
import { readJson, SOON, useWatched, Watched } from "../data/watch";
import { addressOf, note } from "../shell/route";
import { DataTable, SaveCsv } from "../ui/data-table";
import { Trouble } from "../ui/trouble";
import { Fits } from "./fits";
import { StoredFigure, StoredHead } from "./head";
import { inAddress } from "./stored";

const ROWS = 100;

interface Page {
  from: number;
  sort: string;
  filter: string;
}

const pageOf = (text: string): Page => {
  const query = new URLSearchParams(text);
  return { from: Math.max(0, Number(query.get("from")) || 0), sort: query.get("sort") ?? "", filter: query.get("filter") ?? "" };
};

const pairsOf = ({ from, sort, filter }: Page): [string, string][] => [["from", from > 0 ? String(from) : ""], ["sort", sort], ["filter", filter]];

export function SweepPage({ path, query }: { path: string; query: string }): JSX.Element {
  const page = pageOf(query);
  const asked = addressOf(`/api/runs/${inAddress(path)}`, [["rows", String(ROWS)], ...pairsOf(page)]);
  const watched = useWatched(asked, () => new Watched<SweepTold>(asked, readJson, ({ entry }) => (entry.state === "running" ? SOON : null)));
  const [last, setLast] = useState<SweepTold | null>(null);
  const [typed, setTyped] = useState(page.filter);
  const now = watched.value.value;
  useEffect(() => void (now && setLast(now)), [now]);
  useEffect(() => setTyped(page.filter), [page.filter]);
  const change = (next: Partial<Page>): void => note(addressOf(`/runs/${inAddress(path)}`, pairsOf({ ...page, from: 0, ...next })), "push");
  const told = now ?? last;
  const trouble = watched.trouble.value;
  if (!told) return <main class="stored" aria-busy={!trouble} tabIndex={-1}><Trouble words={trouble} air /></main>;
  const { entry, table } = told;
  const end = table.from + (table.columns[0]?.values.length ?? 0);
  return (
    <main class="stored" tabIndex={-1}>
      <StoredHead entry={entry} about={null} live={null} files={["sweep.toml", ...(entry.state === "finished" ? ["table.parquet"] : [])]} />
      {entry.figure && <StoredFigure path={path} changed={entry.changed} about={`The figure of the sweep ${path}`} />}
      <section class="data" aria-label="Table of members" aria-busy={!now}>
        <div class="panel-head">
          <h2>Table</h2>
          <form class="filters" role="search" onSubmit={(event) => (event.preventDefault(), change({ filter: typed }))}>
            <input class="search" type="search" aria-label="Filter of rows" placeholder="end.loss<0.1, stages>=2, ended~converged" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onBlur={() => typed !== page.filter && change({ filter: typed })} />
          </form>
          <div class="tools">
            <span class="faint" role="status">{table.matching === 0 ? "no rows" : `${table.from + 1} to ${end} of ${table.matching}`}{table.matching !== table.total && ` (${table.total} in all)`}</span>
            <button type="button" class="quiet small" disabled={table.from === 0} onClick={() => change({ from: Math.max(0, page.from - ROWS) })}>before</button>
            <button type="button" class="quiet small" disabled={end >= table.matching} onClick={() => change({ from: page.from + ROWS })}>next</button>
            <SaveCsv columns={table.columns} name={entry.name} title="The rows that are shown" />
          </div>
        </div>
        <Trouble words={trouble} air />
        <DataTable caption="Members of the sweep" columns={table.columns} sort={page.sort} onSort={(sort) => change({ sort })} sorted />
      </section>
      <Fits fits={told.fits} />
    </main>
  );
}
