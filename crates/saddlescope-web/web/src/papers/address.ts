// A paper as a link: which claims are listed; the part behind # is the claim or figure that is open.

export interface PaperPlace {
  verdict: string;
  kind: string;
  text: string;
}

export function placeOf(text: string): PaperPlace {
  const query = new URLSearchParams(text);
  return { verdict: query.get("verdict") ?? "", kind: query.get("kind") ?? "", text: query.get("text") ?? "" };
}

export function linkOf(paper: string, { verdict, kind, text }: PaperPlace, open: string | null): string {
  const query = new URLSearchParams();
  if (verdict) query.set("verdict", verdict);
  if (kind) query.set("kind", kind);
  if (text) query.set("text", text);
  const words = query.toString();
  return `/papers/${paper}${words ? `?${words}` : ""}${open ? `#${encodeURIComponent(open)}` : ""}`;
}
