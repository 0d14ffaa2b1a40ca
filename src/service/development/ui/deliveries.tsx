import { useState } from 'preact/hooks';
import type { Delivery, DeliveryWithPayload } from '../delivery-routes.ts';
import { Badge, Empty, Facts, Head, Json, Problem, Time } from './elements.tsx';
import { safe } from './format.ts';
import { Detail, Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { query, useChange, usePolled } from './service.ts';

const STATES = ['all', 'pending', 'delivered', 'failed'];
const TONES = { pending: 'idle', delivered: 'good', failed: 'bad' } as const;
const SHOWN_DELIVERIES = 200;

/** Commands that create a delivery. */
const COMMANDS = [
  'svc webhooks setup --local --url http://127.0.0.1:3000/hook',
  'svc webhooks send comment.add --via-service --local',
];

export function Deliveries({ route: [id] }: { readonly route: Route }) {
  const [chosen, setChosen] = useState('all');
  const path = query('deliveries', { state: chosen === 'all' ? undefined : chosen, limit: SHOWN_DELIVERIES });
  const { data, error } = usePolled<{ readonly deliveries: readonly Delivery[] }>(path);
  const isEmpty = data?.deliveries.length === 0;
  return (
    <>
      <section class="list">
        <Head title="Deliveries">
          <select
            aria-label="State"
            class="filter"
            value={chosen}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {STATES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Head>
        <Problem error={error} />
        {isEmpty &&
          (chosen === 'all' ? (
            <Empty title="No deliveries yet" commands={COMMANDS} />
          ) : (
            <Empty title={`No ${chosen} deliveries`} />
          ))}
        <Rows label="Deliveries" items={data?.deliveries ?? []} hrefOf={(delivery) => hrefOf('deliveries', delivery.id)}>
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
  const { data, error, refresh } = usePolled<DeliveryWithPayload>(`deliveries/${encodeURIComponent(id)}`);
  const { change, problem, isBusy } = useChange('deliveries', refresh);
  const facts = data && {
    State: <Badge tone={TONES[data.state]}>{data.state}</Badge>,
    ID: id,
    Endpoint: data.endpointId,
    Created: <Time at={data.createdAt} />,
    'Next attempt': data.nextAttempt && <Time at={data.nextAttempt} />,
  };
  return (
    <Detail title={data ? safe(data.event) : 'Delivery'} back={hrefOf('deliveries')}>
      <Problem error={problem ?? error} />
      {facts && <Facts of={facts} />}
      {data && data.state !== 'delivered' && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => change(() => ({ retry: [id] }))}>
          Retry now
        </button>
      )}
      <h3>Attempts</h3>
      {data?.attempts.length === 0 && <p class="muted">Not attempted yet</p>}
      <ol class="lines">
        {data?.attempts.map(({ at, status, error }) => (
          <li key={at}>
            <Badge tone={status !== null && status >= 200 && status < 300 ? 'good' : 'bad'}>{status ?? 'error'}</Badge>
            <span class="note">{safe(error ?? '')}</span>
            <Time at={at} />
          </li>
        ))}
      </ol>
      {data && data.payload !== null && <Json label="Payload" value={data.payload} />}
    </Detail>
  );
}
