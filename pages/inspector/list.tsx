import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Badge, Problem, type Tone } from './elements.tsx';
import { safe } from './format.ts';

interface Row {
  readonly href: string;
  readonly badge?: readonly [tone: Tone, text: string | number];
  readonly name: string;
  readonly note: string;
  readonly number?: string;
  readonly time?: ComponentChildren;
}

/**
 * Shows a list of links as one tab stop. Arrow keys move the focus and, if a record is open, open
 * the focused record.
 */
export function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  const linkOf = useTabStop(rows.map(({ href }) => href));
  return (
    <ul class={`rows ${label}`} aria-label={label} onKeyDown={moveFocus}>
      {rows.map(({ href, badge, name, note, number, time }) => (
        <li key={href}>
          <a {...linkOf(href)}>
            {badge && <Badge tone={badge[0]}>{badge[1]}</Badge>}
            <span class="name">{safe(name)}</span>
            <span class="note">{safe(note)}</span>
            {number && <span class="number">{number}</span>}
            {time}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Makes a list of links one tab stop: the last focused link, the open link, or the first link. */
export function useTabStop(hrefs: readonly string[]) {
  const [focused, setFocused] = useState<string>();
  const stop = [focused, location.hash].find((href) => hrefs.includes(href ?? '')) ?? hrefs[0];
  return (href: string) => ({
    href,
    tabIndex: href === stop ? 0 : -1,
    'aria-current': href === location.hash,
    onFocus: () => setFocused(href),
  });
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -1e6,
  End: 1e6,
};

/**
 * Moves the focus between the links of a list. If a record is open, also opens the newly focused
 * record.
 */
export function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = STEPS[event.key];
  const items = [...event.currentTarget.querySelectorAll('a')];
  const at = items.indexOf(document.activeElement as HTMLAnchorElement);
  if (step === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const target = items[Math.max(0, Math.min(items.length - 1, at + step))];
  target?.focus();
  if (target && event.currentTarget.querySelector('[aria-current=true]'))
    location.replace(target.href);
}

interface DetailProps {
  readonly title: string;
  /** Link to the list. */
  readonly back: string;
  readonly error: Error | undefined;
  readonly children: ComponentChildren;
}

/**
 * Shows an open record beside its list, or over the list on a phone. Escape closes it and returns
 * the focus to its row.
 */
export function Detail({ title, back, error, children }: DetailProps) {
  const close = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const own = location.hash;
    // On a phone, the list is hidden.
    if (!document.activeElement?.checkVisibility()) close.current?.focus();
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') location.hash = back;
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
      const focusRow = () => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>(`[href="${CSS.escape(own)}"]`)?.focus();
      };
      if (location.hash === back) requestAnimationFrame(focusRow);
    };
  }, [back]);
  return (
    <article class="detail" aria-label={title}>
      <header class="head">
        <h2>{title}</h2>
        <a ref={close} class="button" href={back} aria-label="Close" title="Close (Escape)">
          ✕
        </a>
      </header>
      <Problem error={error} />
      {children}
    </article>
  );
}
