// What systems are called.

/** `linear-attention` as a tab: "Linear attention". */
export function systemName(name: string): string {
  const spaced = name
    .replace(/-/g, " ")
    .replace(/\bmarkov\b/, "Markov")
    .replace(/^ngram\b/, "n-gram");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The title of its paper; a system that no paper is about has its name. */
export function titleOf({ name, title }: { name: string; title: string }): string {
  return title || systemName(name);
}
