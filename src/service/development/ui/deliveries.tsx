import { useState } from 'preact/hooks';
import { Badge, Detail, Empty, Fact, Facts, Head, Json, Problem, Rows, Time } from './elements.tsx';
import { safe } from './format.ts';
import { hrefOf, type Route } from './route.ts';
import { call, query, usePolled } from './service.ts';

interface Delivery {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly { readonly at: string; readonly status: number | null; readonly error: string | null }[];
  readonly createdAt: string;
  readonly nextAttempt: string | null;
  readonly payload?: unknown;
}

const STATES = ['all', 'pending', 'delivered', 'failed'] as const;
const TONES = { pending: 'idle', delivered: 'good', failed: 'bad' } as const;
const SHOWN_DELIVERIES = 200;

export function Deliveries({ route: [id] }: { readonly route: Route }) {
  const [state, setState] = useState<string>('all');
  const path = query('deliveries', { state: state === 'all' ? undefined : state, limit: SHOWN_DELIVERIES });
  const { data, error } = usePolled<{ readonly deliveries: readonly Delivery[] }>(path);
  return (
    <>
      <section class="list">
        <Head title="Deliveries">
          <label>
            State{' '}
            <select value={state} onChange={({ currentTarget }) => setState(currentTarget.value)}>
              {STATES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        </Head>
        <Problem error={error} />
        {data?.deliveries.length === 0 && (
          <Empty title={state === 'all' ? 'No deliveries yet' : `No ${state} deliveries`}>
            <p>Register an endpoint, then send it an event:</p>
            <code>svc webhooks setup --url http://127.0.0.1:3000/hook</code>
            <code>svc webhooks send comment.add --via-service</code>
          </Empty>
        )}
        <Rows label="Deliveries" items={data?.deliveries ?? []} keyOf={(delivery) => delivery.id} hrefOf={(delivery) => hrefOf('deliveries', delivery.id)}>
          {({ event, state, endpointId, attempts, createdAt }) => (
            <>
              <Badge tone={TONES[state]}>{state}</Badge>
              <span class="name">{safe(event)}</span>
              <span class="note">{safe(endpointId)}</span>
              <span class="number">{`${attempts.length} attempt${attempts.length === 1 ? '' : 's'}`}</span>
              <Time at={createdAt} />
            </>
          )}
        </Rows>
      </section>
      {id !== undefined && <DeliveryView key={id} id={id} />}
    </>
  );
}

function DeliveryView({ id }: { readonly id: string }) {
  const { data, error, refresh } = usePolled<Delivery>(`deliveries/${encodeURIComponent(id)}`);
  const [problem, setProblem] = useState<Error>();
  const retry = () => call('deliveries', { retry: [id] }).then(() => setProblem(undefined), setProblem).then(refresh);
  return (
    <Detail title={data ? safe(data.event) : 'Delivery'} back={hrefOf('deliveries')}>
      <Problem error={problem ?? error} />
      {data && (
        <>
          <Facts>
            <Fact name="State">
              <Badge tone={TONES[data.state]}>{data.state}</Badge>
            </Fact>
            <Fact name="ID">{safe(id)}</Fact>
            <Fact name="Endpoint">{safe(data.endpointId)}</Fact>
            <Fact name="Created">
              <Time at={data.createdAt} />
            </Fact>
            <Fact name="Next attempt">{data.nextAttempt && <Time at={data.nextAttempt} />}</Fact>
          </Facts>
          {data.state !== 'delivered' && (
            <button type="button" class="primary" onClick={retry}>
              Retry now
            </button>
          )}
          <h3>Attempts</h3>
          <ol class="attempts">
            {data.attempts.map(({ at, status, error }) => (
              <li key={at}>
                <Badge tone={status !== null && status < 300 ? 'good' : 'bad'}>{status ?? 'error'}</Badge>
                <span class="note">{error && safe(error)}</span>
                <Time at={at} />
              </li>
            ))}
          </ol>
          {data.attempts.length === 0 && <p class="muted">Not attempted yet</p>}
          {data.payload !== undefined && <Json label="Payload" value={data.payload} />}
        </>
      )}
    </Detail>
  );
}
