// What the window tells a component while it is shown.
import { useEffect } from "preact/hooks";

type Kind = keyof WindowEventMap;

/** Hears events of the window as long as `on`; the listener is a new one whenever something in `of` is. */
export function useListener<K extends Kind>(kinds: K[], listener: (event: WindowEventMap[K]) => void, of: unknown[], on = true, early = false): void {
  useEffect(() => {
    if (!on) return;
    kinds.forEach((kind) => addEventListener(kind, listener, early));
    return () => kinds.forEach((kind) => removeEventListener(kind, listener, early));
  }, [on, ...of]);
}
