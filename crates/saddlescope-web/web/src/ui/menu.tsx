// A button that opens a list of things to do or to choose.
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useListener } from "./use-listener";

const MARGIN = 6;

/** Below the button, at its left or right edge, inside the window. */
function placeOf(button: HTMLElement | null, align: "left" | "right"): Record<string, string> {
  const box = button?.getBoundingClientRect();
  if (!box) return {};
  const top = `${box.bottom + 3}px`;
  const room = { top, maxHeight: `${Math.max(innerHeight - box.bottom - 12, 160)}px` };
  if (align === "right") return { ...room, right: `${Math.max(document.documentElement.clientWidth - box.right, MARGIN)}px` };
  return { ...room, left: `${Math.max(box.left, MARGIN)}px` };
}

interface Props {
  label: ComponentChildren;
  title?: string;
  /** Words for those who do not see the label. */
  name?: string;
  align?: "left" | "right";
  wide?: boolean;
  small?: boolean;
  children: (close: () => void) => ComponentChildren;
}

/** Closes with Escape, with a click elsewhere and when the focus goes away; arrow keys go from item to item. */
export function Menu({ label, title, name, align = "left", wide = false, small = false, children }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => setOpen(false);

  const outside = ({ target }: Event): void => {
    if (!(target instanceof Node) || !box.current?.contains(target)) close();
  };
  useListener(["pointerdown", "focusin"], outside, [], open);
  // A list of fixed place does not follow what scrolls below it.
  useListener(["scroll"], outside, [], open, true);
  useListener(["resize"], close, [], open);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      button.current?.focus();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || (event.target as Element).tagName === "INPUT") return;
    event.preventDefault();
    const items = [...(box.current?.querySelectorAll<HTMLElement>(".menu-list button, .menu-list a, .menu-list input") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  };

  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={`quiet ${small ? "small" : ""}`}
        aria-expanded={open}
        aria-haspopup="true"
        aria-label={name}
        title={title}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open && (
        <div class={`menu-list ${wide ? "wide" : ""}`} style={placeOf(button.current, align)}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
