// A plan: its figure, the table behind it, and its runs.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PlanTold } from "../data/stored";
import { DataTable, SaveCsv } from "../ui/data-table";
import { linkOf, PLAIN } from "./address";
import { Fits } from "./fits";
import { StoredFigure, StoredHead } from "./head";
import { MOST_CHOSEN } from "./list";
import { StateMark } from "./state";
import { inAddress } from "./stored";

export function PlanPage({ plan }: { plan: PlanTold }): JSX.Element {
  const [sort, setSort] = useState("");
  const { entry, members } = plan;
  const there = members.flatMap(({ run }) => (run ? [run.path] : []));
  const { columns } = plan.table;
  const whole = columns[0]?.values.length === members.length;
  const table = (
    <section class="data" aria-label="Table of runs">
      <div class="panel-head">
        <h2>Table of runs</h2>
        {entry.figure && <span class="faint">data of this figure</span>}
        <div class="tools"><SaveCsv columns={columns} name={`${entry.name}-table`} /></div>
      </div>
      <DataTable
        caption="Table of runs"
        columns={columns}
        sort={sort}
        onSort={setSort}
        {...(whole
          ? {
              lead: {
                head: "run",
                cell: (row: number) => {
                  const member = members[row];
                  if (!member) return "";
                  return member.run ? <a href={`/runs/${inAddress(member.run.path)}`}>{member.label}</a> : <span class="faint">{member.label}: not begun</span>;
                },
              },
            }
          : {})}
      />
    </section>
  );
  const waiting = members.filter(({ run }) => run && run.state !== "finished");
  return (
    <>
      <StoredHead entry={entry} about={plan.about} live={plan.live} files={["plan.toml", ...(whole ? ["table.csv"] : [])]}>
        {there.length > 0 && <a class="action" href={linkOf({ ...PLAIN, members: true, text: plan.path, chosen: there.slice(0, MOST_CHOSEN) })}>Compare its runs</a>}
      </StoredHead>
      {plan.claims.length > 0 && <p class="meaning air">Claims: {plan.claims.map((id) => <span key={id}><a href={`/papers/${id.replace("/", "#")}`}>{id.split("/")[1]}</a> </span>)}</p>}
      {waiting.length > 0 && <ul class="waiting air">{waiting.slice(0, 20).map(({ label, run }) => run && <li key={label}><a href={`/runs/${inAddress(run.path)}`}>{label}</a> <StateMark entry={run} /></li>)}</ul>}
      {entry.figure && <StoredFigure path={plan.path} changed={entry.changed} about={plan.about ?? `The figure of ${plan.path}`} />}
      {table}
      <Fits fits={plan.fits} />
    </>
  );
}
