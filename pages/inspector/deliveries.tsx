import { useState } from 'preact/hooks';
import type { Delivery } from '../../src/catalog/local/delivery.ts';
import { formatNounCount } from '../../src/kernel/plural.ts';
import { Badge, Empty, Fields, Head, Json, Time } from './elements.tsx';
import { safe } from './format.ts';
import { Detail, Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { query, useChange, usePolled } from './service.ts';

const TONES = { pending: 'idle', retrying: 'bad', delivered: 'idle', exhausted: 'bad' } as const;
const SHOWN_DELIVERIES = 200;

const COMMANDS = [
  'svc webhooks setup --local --url http://127.0.0.1:3000/hook',
  'svc webhooks send comment.add --via-service --local',
];

export function Deliveries({ route: [id] }: { readonly route: Route }) {
  const [state, setState] = useState('');
  const { data, error } = usePolled<{ readonly deliveries: readonly Delivery[] }>(
    query('deliveries', { state, limit: SHOWN_DELIVERIES }),
  );
  const rows = data?.deliveries.map((delivery) => ({
    href: hrefOf('deliveries', delivery.id),
    badge: [TONES[delivery.state], delivery.state] as const,
    name: delivery.event,
    note: delivery.endpointId,
    number: formatNounCount(delivery.attempts.length, 'attempt'),
    time: <Time at={delivery.createdAt} />,
  }));
  return (
    <>
      <section class="list">
        <Head title="Deliveries" error={error}>
          <select
            aria-label="State"
            class="filter"
            value={state}
            onChange={({ currentTarget }) => setState(currentTarget.value)}
          >
            <option value="">all</option>
            {Object.keys(TONES).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Head>
        {rows?.length === 0 && (
          <Empty title={`No ${state} deliveries`} commands={state ? [] : COMMANDS} />
        )}
        {rows && <Rows label="deliveries" rows={rows} />}
      </section>
      {id !== undefined && <DeliveryView key={id} id={id} />}
    </>
  );
}

function DeliveryView({ id }: { readonly id: string }) {
  const { data, error, refresh } = usePolled<Delivery>(`deliveries/${encodeURIComponent(id)}`);
  const { change, problem, isBusy } = useChange('deliveries', refresh);
  const { attempts, payload, ...record }: Partial<Delivery> = data ?? {};
  return (
    <Detail
      title={safe(data?.event ?? 'Delivery')}
      back={hrefOf('deliveries')}
      error={problem ?? error}
    >
      <Fields of={record} />
      {data && data.state !== 'delivered' && (
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => change(() => ({ retry: [id] }))}
        >
          Retry now
        </button>
      )}
      <h3>Attempts</h3>
      {attempts?.length === 0 && <p class="muted">Not attempted yet</p>}
      <ol class="lines">
        {attempts?.map(({ at, status, error }) => (
          <li key={at}>
            <Badge tone={status !== null && status >= 200 && status < 300 ? 'idle' : 'bad'}>
              {status ?? 'error'}
            </Badge>
            <span class="note">{safe(error ?? '')}</span>
            <Time at={at} />
          </li>
        ))}
      </ol>
      {payload && <Json label="Payload" value={payload} />}
    </Detail>
  );
}
