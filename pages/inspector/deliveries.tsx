import { useState } from 'preact/hooks';
import type {
  Delivery,
  DeliveryAttempt,
  ReceiverHealth,
} from '../../src/catalog/local/delivery.ts';
import { formatNounCount } from '../../src/kernel/plural.ts';
import { Badge, Empty, Fields, Head, Json, Time } from './elements.tsx';
import { formatDuration, safe, safeLines } from './format.ts';
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
  const { data, error } = usePolled<{
    readonly deliveries: readonly Delivery[];
    readonly receivers: ReceiverHealth;
  }>(query('deliveries', { state, limit: SHOWN_DELIVERIES }));
  const failing = Object.values(data?.receivers.failing ?? {}).reduce((all, one) => all + one, 0);
  const rows = data?.deliveries.map((delivery) => ({
    href: hrefOf('deliveries', delivery.id),
    badge: [TONES[delivery.state], delivery.state] as const,
    name: delivery.event,
    note: [delivery.endpointUid ?? delivery.endpointId, delivery.reason]
      .filter(Boolean)
      .join(' · '),
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
            {['failed', ...Object.keys(TONES)].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Head>
        {failing > 1 && (
          <p class="muted">
            {`${failing} of ${formatNounCount(data?.receivers.total ?? 0, 'endpoint')} fail: ${listFailures(data?.receivers)}`}
          </p>
        )}
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
  const { attempts, headers, payload, ...record }: Partial<Delivery> = data ?? {};
  return (
    <Detail
      title={safe(data?.event ?? 'Delivery')}
      back={hrefOf('deliveries')}
      error={problem ?? error}
    >
      <Fields of={record} />
      {data && payload != null && (
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => change(() => ({ retry: [id] }))}
        >
          {data.state === 'delivered' ? 'Send again' : 'Retry now'}
        </button>
      )}
      <h3>Attempts</h3>
      {attempts?.length === 0 && <p class="muted">Not attempted yet</p>}
      <ol class="lines">
        {attempts?.map((attempt) => (
          <Attempt key={attempt.at} attempt={attempt} />
        ))}
      </ol>
      {headers && <Json label="Headers" value={headers} />}
      {payload && <Json label="Payload" value={payload} />}
    </Detail>
  );
}

function listFailures(receivers: ReceiverHealth | undefined): string {
  return Object.entries(receivers?.failing ?? {})
    .map(([reason, count]) => `${count} × ${reason}`)
    .join(', ');
}

/** Shows the result of an attempt, and the start of the response. */
function Attempt({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { at, status, error, milliseconds, body } = attempt;
  const isSuccess = status !== null && status >= 200 && status < 300;
  const duration = milliseconds === null ? '' : formatDuration(milliseconds);
  return (
    <li>
      <Badge tone={isSuccess ? 'idle' : 'bad'}>{status ?? 'error'}</Badge>
      <span class="note">{safe([duration, error].filter(Boolean).join(' · '))}</span>
      <Time at={at} />
      {body !== null && <pre>{safeLines(body)}</pre>}
    </li>
  );
}
