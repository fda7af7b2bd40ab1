// At most one call per frame of the screen: the first at once, the last of several at the next frame.

export function paced(call: () => void): () => void {
  let waiting = false;
  let again = false;
  const run = (): void => {
    again = false;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (again) run();
    });
    call();
  };
  return () => {
    if (waiting) again = true;
    else run();
  };
}
