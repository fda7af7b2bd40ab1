// Tables of columns that have types: sorted by a click, taken away as CSV.
import type { ComponentChildren, JSX } from "preact";
import { short } from "../data/format";
import type { Cell, DataColumn } from "../data/stored";
import { saveCsv } from "./files";

interface Props {
  caption: string;
  columns: DataColumn[];
  /** The column that rows are sorted by, with `-` before it for the greatest first. */
  sort: string;
  onSort: (sort: string) => void;
  /** Something before each row, such as a link. */
  lead?: { head: string; cell: (row: number) => ComponentChildren };
  /** Whether rows come sorted already. */
  sorted?: boolean;
}

export function DataTable({ caption, columns, sort, onSort, lead, sorted = false }: Props): JSX.Element {
  const rows = sorted ? columns[0]?.values.map((_, row) => row) ?? [] : order(columns, sort);
  return (
    <div class="data-table" tabIndex={0} role="region" aria-label={caption}>
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {lead && <th scope="col">{lead.head}</th>}
            {columns.map(({ name, type }) => <SortedHead key={name} name={name} number={type !== "text"} sort={sort} onSort={onSort}>{name}</SortedHead>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              {lead && <td>{lead.cell(row)}</td>}
              {columns.map((column) => (
                <td key={column.name} class={column.type === "text" ? "" : "number"} title={exact(column.values[row])}>
                  {shown(column.values[row] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The column that rows are sorted by, and whether the greatest comes first. */
export const sortedBy = (sort: string): [string, boolean] => (sort.startsWith("-") ? [sort.slice(1), true] : [sort, false]);

interface HeadProps extends Pick<Props, "sort" | "onSort"> {
  name: string;
  number?: boolean;
  children: string;
}

/** The head of a column; a click sorts by it, a second one the other way round. */
export function SortedHead({ name, number = false, sort, onSort, children }: HeadProps): JSX.Element {
  const [by, down] = sortedBy(sort);
  const on = by === name;
  return (
    <th scope="col" class={number ? "number" : ""} aria-sort={on ? (down ? "descending" : "ascending") : undefined}>
      <button type="button" class="head" onClick={() => onSort(on && !down ? `-${name}` : name)}>
        {children}
        <span aria-hidden="true">{on ? (down ? " ▾" : " ▴") : ""}</span>
      </button>
    </th>
  );
}

function shown(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return cell;
  return Number.isInteger(cell) && Math.abs(cell) < 1e9 ? String(cell).replace("-", "−") : short(cell, 5);
}

const exact = (cell: Cell | undefined): string | undefined => (typeof cell === "number" && !Number.isInteger(cell) ? String(cell) : undefined);

/** Rows in the order of a column; what is missing comes last. */
function order(columns: DataColumn[], sort: string): number[] {
  const rows = columns[0]?.values.map((_, row) => row) ?? [];
  const [name, down] = sortedBy(sort);
  const by = columns.find((column) => column.name === name)?.values;
  if (!by) return rows;
  const compare = (a: Cell, b: Cell): number => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  return rows.sort((a, b) => {
    const [left, right] = [by[a] ?? null, by[b] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return down ? compare(right, left) : compare(left, right);
  });
}

export function SaveCsv({ columns, name, title }: { columns: DataColumn[]; name: string; title?: string }): JSX.Element {
  const rows = columns[0]?.values.map((_, row) => columns.map(({ values }) => values[row] ?? null)) ?? [];
  return (
    <button type="button" class="quiet small" title={title} onClick={() => saveCsv([columns.map((column) => column.name), ...rows], name)}>
      CSV
    </button>
  );
}
