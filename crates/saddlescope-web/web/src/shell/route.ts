// Where the page stands: path and query, as a signal.
import { signal } from "@preact/signals";

export interface Place {
  path: string;
  query: string;
}

const here = (): Place => ({ path: location.pathname, query: location.search.replace(/^\?/, "") });

/** The address before the hand began to drag. */
let before: string | null = null;

export const place = signal<Place>(here());

/** Counts the times that somebody went elsewhere, by a link or by the browser's buttons: views read the place anew. */
export const arrivals = signal(0);

addEventListener("popstate", () => {
  before = null;
  place.value = here();
  arrivals.value += 1;
});

/** Goes to another place of the page. */
export function go(url: string): void {
  before = null;
  history.pushState(null, "", url);
  place.value = here();
  arrivals.value += 1;
}

/**
 * Notes in the address what a view has become; the view itself knows it already. A drag replaces the address as
 * it goes; its end leaves one step in the history, behind which the address from before the drag is found.
 */
export function note(url: string, how: "push" | "replace"): void {
  if (how === "replace") {
    before ??= address();
    replace(url);
    return;
  }
  const from = before ?? address();
  before = null;
  replace(from);
  if (from !== url) history.pushState(null, "", url);
  place.value = here();
}

/** An address with those pairs of a query that say something. */
export function addressOf(path: string, pairs: [string, string][]): string {
  const query = new URLSearchParams(pairs.filter(([, value]) => value !== ""));
  const text = query.toString().replace(/%2F/g, "/").replace(/%7E/g, "~");
  return text ? `${path}?${text}` : path;
}

const address = (): string => location.pathname + location.search + location.hash;

function replace(url: string): void {
  if (url !== address()) history.replaceState(null, "", url);
  place.value = here();
}

/** Links inside the page are followed without loading it again. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (/^\/(api|files|assets|pictures)\//.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
