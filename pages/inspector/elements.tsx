import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { formatJson, formatRelative, formatValue, isTimeField, safe, wordsOf } from './format.ts';
import { ServiceClock } from './service.ts';

interface Children {
  readonly children?: ComponentChildren;
}

/**
 * Shows a time relative to now, with the exact time on hover. Uses the service's clock unless
 * `isReal` is set.
 */
export function Time({
  at,
  isReal = false,
}: {
  readonly at: string | number;
  readonly isReal?: boolean | undefined;
}) {
  const { clock } = useContext(ServiceClock);
  const now = clock && !isReal ? Date.parse(clock.now) : Date.now();
  const time = new Date(at);
  const exact = time.toISOString();
  return (
    <time dateTime={exact} title={`${exact}\n${time.toLocaleString()} (local)`}>
      {formatRelative(time.getTime(), now)}
    </time>
  );
}

export type Tone = 'good' | 'bad' | 'idle';

export function Badge({ tone, children }: Children & { readonly tone: Tone }) {
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
export function Empty({
  title,
  commands = [],
}: {
  readonly title: string;
  readonly commands?: readonly string[];
}) {
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

/** Shows the fields of a record: first single values, then lists. Omits empty values. */
export function Fields({
  of: record,
  isReal,
}: {
  readonly of: object;
  readonly isReal?: boolean | undefined;
}) {
  const fields = Object.entries(record).filter(([, value]) => value !== null && value !== '');
  const [lists, plain] = [
    fields.filter(([, value]) => Array.isArray(value)),
    fields.filter(([, value]) => !Array.isArray(value)),
  ];
  return (
    <>
      <dl>
        {plain.map(([name, value]) => (
          <div key={name}>
            <dt>{wordsOf(name)}</dt>
            <dd>
              {isTimeField(name, value) ? (
                <Time at={value} isReal={isReal} />
              ) : (
                safe(formatValue(value))
              )}
            </dd>
          </div>
        ))}
      </dl>
      {lists.map(([name, values]) => (
        <section key={name}>
          <h3>{wordsOf(name)}</h3>
          {values.length === 0 && <p class="muted">None</p>}
          <ul class="lines">
            {values.map((value: unknown) => (
              <li key={JSON.stringify(value)}>{safe(formatValue(value))}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
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

/** Shows a filter field, which gets the focus when the user presses `/`. */
export function Filter({ value, label, onChange }: FilterProps) {
  const shared = {
    class: 'filter',
    placeholder: label,
    'aria-label': label,
    'aria-keyshortcuts': '/',
  };
  return (
    <input
      type="search"
      {...shared}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
