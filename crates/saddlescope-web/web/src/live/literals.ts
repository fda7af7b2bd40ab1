// Values as TOML literals, as far as the page reads and writes them.

/** A number, a text, a truth value, or lists of these; nothing where it is none of them. As with `--set`, a word needs no quotes. */
export function read(literal: string): unknown {
  const text = literal.trim();
  if (/^[A-Za-z][\w:-]*$/.test(text) && !["true", "false", "inf", "nan"].includes(text)) return text;
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  const plain = text
    .replace(/(?<=\d)_(?=\d)/g, "")
    .replace(/,\s*\]/g, "]")
    .replace(/^\+/, "");
  try {
    return JSON.parse(plain) as unknown;
  } catch {
    return undefined;
  }
}

/** What reads literals of one kind; nothing where there is none, or one of another kind. */
function reader<T>(is: (value: unknown) => value is T): (literal: string | null | undefined) => T | null {
  return (literal) => {
    const value = read(literal ?? "");
    return is(value) ? value : null;
  };
}

const isNumber = (value: unknown): value is number => typeof value === "number";
export const readNumber = reader(isNumber);
export const readNumbers = reader((value): value is number[] => Array.isArray(value) && value.every(isNumber));
export const readText = reader((value): value is string => typeof value === "string");

export function writeText(text: string): string {
  return JSON.stringify(text);
}

/** A number with a point or an exponent, so that it is one for TOML as well. */
export function writeNumber(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export function writeInteger(value: number): string {
  return String(Math.round(value));
}

export function writeNumbers(values: number[]): string {
  return `[${values.map(writeNumber).join(", ")}]`;
}

/** Whether two literals say the same, however they are spelt: 1e-3 and 0.001. */
export function same(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  const left = read(a);
  const right = read(b);
  return left !== undefined && right !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

/** A value with three significant digits: what a slider gives. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
