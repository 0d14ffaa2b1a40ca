import { useRef, useState } from 'preact/hooks';
import { Empty, Head, Problem } from './elements.tsx';
import { formatJson, safe } from './format.ts';
import { call, usePolled } from './service.ts';

interface FaultRule {
  readonly name?: string;
  readonly on: string;
  readonly [field: string]: unknown;
}

const EXAMPLE = '{ "on": "users.add", "nth": 3, "status": "UNAVAILABLE" }';

/** Selects the part of the rule that an error is about: the position of a syntax error, or the named field. */
function selectPosition(field: HTMLTextAreaElement | null, message: string): void {
  const [, path = ''] = /^([\w.[\]]+)/.exec(message) ?? [];
  const name = `"${path.split('.').at(-1)}"`;
  const at = field?.value.indexOf(name) ?? -1;
  field?.focus();
  if (at >= 0) field?.setSelectionRange(at, at + name.length);
}

/** Lists the fault rules in the order in which the service tries them. */
export function Faults() {
  const { data, error, refresh } = usePolled<{ readonly seed: unknown; readonly faults: readonly FaultRule[] }>('faults');
  const [rule, setRule] = useState('');
  const [problem, setProblem] = useState<Error>();
  const field = useRef<HTMLTextAreaElement>(null);
  const change = async (body: string) => {
    try {
      await call('faults', body);
      setProblem(undefined);
      setRule('');
    } catch (error) {
      setProblem(error as Error);
      selectPosition(field.current, (error as Error).message);
    }
    await refresh();
  };
  const add = (event: Event) => {
    event.preventDefault();
    change(`{"add":${rule}}`);
  };
  return (
    <section class="page">
      <Head title="Faults">
        <button type="button" disabled={!data?.faults.length} onClick={() => change('{"clear":true}')}>
          Clear all
        </button>
      </Head>
      <Problem error={error} />
      {data?.faults.length === 0 && (
        <Empty title="No faults">
          <p>A fault makes the service fail on purpose. Add a rule below, or from another terminal:</p>
          <code>{`svc local faults add '${EXAMPLE}'`}</code>
        </Empty>
      )}
      <ol class="cards" aria-label="Faults">
        {data?.faults.map((fault) => (
          <li key={formatJson(fault)}>
            <strong>{safe(fault.name ?? fault.on)}</strong>
            <code>{formatJson(fault)}</code>
          </li>
        ))}
      </ol>
      <form onSubmit={add}>
        <label for="rule">Rule as JSON</label>
        <textarea
          id="rule"
          ref={field}
          rows={6}
          spellcheck={false}
          placeholder={EXAMPLE}
          aria-invalid={problem !== undefined}
          value={rule}
          onInput={({ currentTarget }) => setRule(currentTarget.value)}
        />
        <Problem error={problem} />
        <button type="submit" class="primary">
          Add
        </button>
      </form>
    </section>
  );
}
