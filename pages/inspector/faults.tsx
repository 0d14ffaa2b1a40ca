import { useEffect, useRef } from 'preact/hooks';
import type { FaultFile } from '../../src/catalog/fault-rules.ts';
import { Empty, Head, Problem } from './elements.tsx';
import { formatValue, safe } from './format.ts';
import { useChange, usePolled } from './service.ts';

const EXAMPLE = '{ "on": "users.add", "share": 0.2, "status": "UNAVAILABLE" }';

/**
 * Locates an error in a rule: the position of a syntax error, or the value of the field that the
 * service names.
 */
function locate(rule: string, message: string): readonly [number, number] {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return [Number(position), Number(position) + 1];
  const [, field = ''] = /^(?:\w+\.)*(\w+): /.exec(message) ?? [];
  const { index = 0, 0: text = '' } =
    new RegExp(`"${field}"\\s*:\\s*("[^"]*"|[^,}\\s]*)`).exec(rule) ?? {};
  return [index, index + text.length];
}

/** Lists the rules in the order in which the service checks them. */
export function Faults() {
  const { data, error, refresh } = usePolled<FaultFile>('faults');
  const { change, problem, isBusy } = useChange('faults', refresh);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!problem || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(...locate(field.current.value, problem.message));
  }, [problem]);
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (await change(() => ({ add: JSON.parse(field.current?.value ?? '') }))) form.reset();
  };
  const isEmpty = data?.faults.length === 0;
  return (
    <section class="page">
      <Head title="Faults" error={error}>
        <button
          type="button"
          disabled={!data || isEmpty || isBusy}
          onClick={() => change(() => ({ clear: true }))}
        >
          Clear all
        </button>
      </Head>
      {isEmpty && <Empty title="No fault rules" commands={[`svc local faults add '${EXAMPLE}'`]} />}
      <ol class="lines rules" aria-label="Rules">
        {data?.faults.map(({ name, ...fault }) => (
          <li key={name}>
            <strong>{safe(name)}</strong>
            <span>{safe(formatValue(fault))}</span>
          </li>
        ))}
      </ol>
      <form onSubmit={add}>
        <label class="wide">
          New rule (JSON)
          <textarea
            ref={field}
            rows={4}
            required
            spellcheck={false}
            placeholder={EXAMPLE}
            aria-invalid={!!problem}
          />
        </label>
        <Problem error={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          Add rule
        </button>
      </form>
    </section>
  );
}
