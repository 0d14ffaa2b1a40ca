import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { formatJson, formatRelative, safe } from './format.ts';
import { ServiceClock } from './service.ts';

interface Children {
  readonly children?: ComponentChildren;
}

/** Shows a time relative to now, and the exact time on hover. Times are of the service's clock unless `isReal`. */
export function Time({ at, isReal = false }: { readonly at: string; readonly isReal?: boolean }) {
  const { clock } = useContext(ServiceClock);
  const now = clock && !isReal ? Date.parse(clock.now) : Date.now();
  return (
    <time dateTime={at} title={`${at}\n${new Date(at).toLocaleString()} (local)`}>
      {formatRelative(Date.parse(at), now)}
    </time>
  );
}

export function Badge({ tone, children }: Children & { readonly tone: 'good' | 'bad' | 'idle' }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <section>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll the block */}
      <pre tabIndex={0}>{formatJson(value)}</pre>
    </section>
  );
}

/** Explains why a list is empty, with commands that fill it. */
export function Empty({ title, commands = [] }: { readonly title: string; readonly commands?: readonly string[] }) {
  return (
    <div class="empty">
      <p>{title}</p>
      {commands.length > 0 && <p>Run in another terminal:</p>}
      {commands.map((command) => (
        <code key={command}>{command}</code>
      ))}
    </div>
  );
}

/** Lists names with values. Leaves out empty values. */
export function Facts({ of: facts }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  const known = Object.entries(facts).filter(([, value]) => value);
  return (
    <dl>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'object' ? value : safe(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Problem({ error }: { readonly error: Error | undefined }) {
  return error ? (
    <p class="problem" role="alert">
      {safe(error.message)}
    </p>
  ) : null;
}

export function Head({
  title,
  error,
  children,
}: Children & { readonly title: ComponentChildren; readonly error?: Error | undefined }) {
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
        {children}
      </header>
      <Problem error={error} />
    </>
  );
}

interface FilterProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}

/** A filter field. The page moves the focus to it on `/`. */
export function Filter({ value, label, onChange }: FilterProps) {
  const shared = { class: 'filter', placeholder: label, 'aria-label': label, 'aria-keyshortcuts': '/' };
  return <input type="search" {...shared} value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />;
}
