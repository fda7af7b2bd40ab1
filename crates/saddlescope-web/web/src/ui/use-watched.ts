// What is watched while a component is shown.
import { useEffect, useMemo } from "preact/hooks";
import type { Watched } from "../data/watch";

/** Watches what `make` makes, anew when the key is another. */
export function useWatched<T>(key: string, make: () => Watched<T>): Watched<T> {
  const watched = useMemo(make, [key]);
  useEffect(() => () => watched.stop(), [watched]);
  return watched;
}
