// Tables as comma-separated values.

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** A line per row; numbers have the shortest digits that give them back, and what is missing is empty. */
export function csv(rows: (string | number | null | undefined)[][]): string {
  const cell = (value: string | number | null | undefined): string => quoted(Number.isNaN(value) ? "" : String(value ?? ""));
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
