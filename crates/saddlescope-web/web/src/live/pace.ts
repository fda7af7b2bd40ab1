// At most one call per frame of the screen: the first at once, the last of several at the next frame.

export function paced(call: () => void): () => void {
  let waiting = false;
  let again = false;
  const next = (): void => {
    waiting = false;
    if (again) run();
  };
  const run = (): void => {
    again = false;
    waiting = true;
    requestAnimationFrame(next);
    call();
  };
  return () => {
    if (waiting) again = true;
    else run();
  };
}
