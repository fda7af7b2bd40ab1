// Files that go to the browser's downloads; tables as comma-separated values.

export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download reads from the address after the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Cells of a line of a table; numbers keep all their digits, what is missing is empty. */
export type Row = (string | number | null | undefined)[];

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

export function saveCsv(rows: Row[], name: string): void {
  const cell = (value: Row[number]): string => quoted(Number.isNaN(value) ? "" : String(value ?? ""));
  const text = rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
  save(new Blob([text], { type: "text/csv" }), `${name}.csv`);
}
