// A plain table: words on the left, numbers on the right.
import type { ComponentChildren, JSX } from "preact";

export interface TableColumn<Row> {
  head: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  number?: boolean;
}

interface Props<Row> {
  caption: string;
  /** Whether the caption is only read out. */
  hidden?: boolean;
  columns: TableColumn<Row>[];
  rows: Row[];
  name?: string;
}

export function Table<Row>({ caption, hidden = true, columns, rows, name = "" }: Props<Row>): JSX.Element {
  return (
    <table class={`table ${name}`}>
      <caption class={hidden ? "unseen" : ""}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column, i) => (
            <th key={i} scope="col" class={column.number ? "number" : ""}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={r}>
            {columns.map((column, i) => (
              <td key={i} class={column.number ? "number" : ""}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
