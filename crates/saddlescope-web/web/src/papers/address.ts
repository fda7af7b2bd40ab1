// A paper as a link: which claims are listed; the part behind # is the claim or figure that is open.
import { addressOf } from "../shell/route";

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
  const pairs: [string, string][] = [["verdict", verdict], ["kind", kind], ["text", text]];
  return `${addressOf(`/papers/${paper}`, pairs)}${open ? `#${encodeURIComponent(open)}` : ""}`;
}
