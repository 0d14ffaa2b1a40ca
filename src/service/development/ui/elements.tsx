import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { formatJson, formatRelative, safe } from './format.ts';
import { ServiceClock } from './service.ts';

interface Parent {
  readonly children: ComponentChildren;
}

/** Shows a time relative to the service's clock, and the exact time on hover. */
export function Time({ at }: { readonly at: string | number }) {
  const time = new Date(at);
  const exact = time.toISOString();
  const { clock } = useContext(ServiceClock);
  return (
    <time dateTime={exact} title={`${exact.replace('T', ' ')}\n${time.toLocaleString()} (local)`}>
      {formatRelative(time.getTime(), clock ? Date.parse(clock.now) : Date.now())}
    </time>
  );
}

type Tone = 'good' | 'bad' | 'warn' | 'idle';

export function Badge({ tone, children }: Parent & { readonly tone: Tone }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <section>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll the block */}
      <pre role="group" tabIndex={0} aria-label={label}>
        {typeof value === 'string' ? safe(value) : formatJson(value)}
      </pre>
    </section>
  );
}

/** Explains why there is nothing to see, with commands that change that. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children}
    </div>
  );
}

/** A name with its value. Undefined and null values are left out. */
export function Fact({ name, children }: Parent & { readonly name: string }) {
  if (children === undefined || children === null || children === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Problem({ error }: { readonly error: Error | undefined }) {
  return error ? (
    <p class="problem" role="alert">
      {safe(error.message)}
    </p>
  ) : null;
}

interface HeadProps {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Head({ title, children }: HeadProps) {
  return (
    <header class="head">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

interface FilterProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}

/** A filter field. `/` moves the focus to it. */
export function Filter({ value, label, onChange }: FilterProps) {
  return (
    <input
      type="search"
      class="filter"
      value={value}
      placeholder={label}
      aria-label={label}
      aria-keyshortcuts="/"
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface RowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly hrefOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}

/** A list of links with one tab stop. Arrow keys move the focus, and the open detail follows it. */
export function Rows<Item>({ label, items, keyOf, hrefOf, children }: RowsProps<Item>) {
  const [focused, setFocused] = useState<string>();
  const current = items.find((item) => hrefOf(item) === location.hash);
  const stop = items.find((item) => keyOf(item) === focused) ?? current ?? items[0];
  return (
    <ul class="rows" aria-label={label} onKeyDown={moveFocus}>
      {items.map((item) => (
        <li key={keyOf(item)}>
          <a
            href={hrefOf(item)}
            tabIndex={item === stop ? 0 : -1}
            aria-current={item === current}
            onFocus={() => setFocused(keyOf(item))}
          >
            {children(item)}
          </a>
        </li>
      ))}
    </ul>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 },
  ...{ Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
};

/** Moves the focus among the links and tree items of a list. Opens the target if the list shows an open one. */
export function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = STEPS[event.key];
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('a, [role=treeitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const target = items[Math.max(0, Math.min(items.length - 1, at + step))];
  target?.focus();
  const href = target?.getAttribute('href');
  if (href && event.currentTarget.querySelector('[aria-current=true]')) location.replace(href);
}

interface DetailProps {
  readonly title: string;
  readonly back: string;
  readonly children: ComponentChildren;
}

/** The opened record, beside the list, or over it on a phone. Escape closes it and returns the focus to its row. */
export function Detail({ title, back, children }: DetailProps) {
  const close = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const origin = location.hash;
    // On a phone, the list is hidden.
    if (document.activeElement === document.body || !(document.activeElement as HTMLElement).offsetParent) close.current?.focus();
    const onKeyDown = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented) location.hash = back;
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
      const focus = () => document.querySelector<HTMLElement>(`[href="${CSS.escape(origin)}"]`)?.focus();
      if (location.hash === back) requestAnimationFrame(focus);
    };
  }, [back]);
  return (
    <article class="detail" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <a ref={close} class="button" href={back} aria-label="Close" title="Close (Escape)">
          ✕
        </a>
      </header>
      {children}
    </article>
  );
}

/** Names with values. */
export function Facts({ children }: Parent) {
  return <dl>{children}</dl>;
}
