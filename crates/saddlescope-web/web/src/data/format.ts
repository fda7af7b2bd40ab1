// Numbers as people read them.

/** A number with so many significant digits; very small and very large ones with an exponent. */
export function short(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size < 1e-3 || size >= 1e6
      ? value
          .toExponential(digits - 1)
          .replace(/\.?0+e/, "e")
          .replace("e+", "e")
      : trimmed(value, digits);
  return text.replace(/-/g, "−");
}

function trimmed(value: number, digits: number): string {
  const text = value.toPrecision(digits);
  if (text.includes("e")) return String(Math.round(value));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten as it stands at a logarithmic axis. */
export function power(value: number): string {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(Math.log10(value) - exponent) > 1e-9) return short(value, 3);
  if (exponent >= -2 && exponent <= 3) return short(value, 3);
  const digits = [...String(Math.abs(exponent))].map((d) => RAISED[Number(d)] ?? "").join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

export function seconds(value: number): string {
  return value < 1 ? `${short(value * 1000, 2)} ms` : `${short(value, 3)} s`;
}

/** "1 jump", "4 jumps". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
