import { useCallback, useRef, useState } from 'preact/hooks';
import type { RequestDetail, RequestRecord } from '../../src/catalog/local/answers.ts';
import { formatOperation } from '../../src/catalog/operation-name.ts';
import { formatNounCount } from '../../src/kernel/plural.ts';
import { Empty, Fields, Filter, Head, Json, Time } from './elements.tsx';
import { foldRequests, medianOf, type RequestGroup } from './fold-requests.ts';
import { formatDuration, safe } from './format.ts';
import { Detail, Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { call, query, usePolled, usePolling } from './service.ts';

/** Maximum number of requests that the page keeps. The service keeps more. */
const KEPT_REQUESTS = 500;

/** Collects requests, newest first. Each poll reads only the requests after the last one. */
function useRequests() {
  const [state, setState] = useState<{
    readonly log?: readonly RequestRecord[];
    readonly error?: Error;
  }>({});
  const last = useRef(0);
  const read = useCallback(async () => {
    try {
      const path = query('requests', { after: last.current || undefined, limit: KEPT_REQUESTS });
      const { requests } = await call<{ readonly requests: readonly RequestRecord[] }>(path);
      // Two polls can overlap.
      const added = requests.filter(({ id }) => id > last.current).toReversed();
      last.current = added[0]?.id ?? last.current;
      setState(({ log = [] }) => ({ log: [...added, ...log].slice(0, KEPT_REQUESTS) }));
    } catch (error) {
      setState(({ log = [] }) => ({ log, error: error as Error }));
    }
  }, []);
  usePolling(read);
  return state;
}

function matches(
  { operation, path, status, error, org, fault }: RequestRecord,
  filter: string,
): boolean {
  const name = formatOperation(operation ?? '');
  const text = [operation, name, path, status, error, org, fault].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function Requests({ route: [id] }: { readonly route: Route }) {
  const { log, error } = useRequests();
  const [filter, setFilter] = useState('');
  const [pausedAt, setPausedAt] = useState<number>();
  // Hold back new requests while the pointer is on the list, so that rows don't move under it.
  const [heldAt, setHeldAt] = useState<number>();
  const newest = log?.[0]?.id;
  const shown = log?.filter((request) => request.id <= (pausedAt ?? heldAt ?? request.id)) ?? [];
  const found = shown.filter((request) => matches(request, filter));
  const waiting = (log?.length ?? 0) - shown.length;
  return (
    <>
      <section class="list">
        <Head title="Requests" error={error}>
          <Filter label="Filter by operation or status" value={filter} onChange={setFilter} />
          <button
            type="button"
            class="pause"
            aria-pressed={!!pausedAt}
            onClick={() => setPausedAt(pausedAt ? undefined : newest)}
          >
            {`${pausedAt ? 'Paused' : 'Pause'}${waiting > 0 ? ` (${waiting} new)` : ''}`}
          </button>
        </Head>
        {log?.length === 0 && (
          <Empty
            title="No requests yet"
            commands={['svc users add --org acme --user ada --name Ada']}
          />
        )}
        {shown.length > 0 && found.length === 0 && <Empty title="No requests match the filter" />}
        <div onPointerEnter={() => setHeldAt(newest)} onPointerLeave={() => setHeldAt(undefined)}>
          <Rows label="requests" rows={foldRequests(found, Number(id)).map(toRow)} />
        </div>
      </section>
      {id !== undefined && <RequestView key={id} id={id} />}
    </>
  );
}

function toRow({ newest, requests }: RequestGroup) {
  const { id, operation, path, status, error, fault, time } = newest;
  const orgs = new Set(requests.flatMap(({ org }) => org ?? []));
  const records = requests.flatMap((request) => request.records ?? []);
  const isFolded = requests.length > 1;
  const notes = [
    error,
    fault && `fault ${fault}`,
    orgs.size > 1 ? formatNounCount(orgs.size, 'organization') : [...orgs][0],
    records.length > 0 &&
      formatNounCount(
        records.reduce((sum, count) => sum + count, 0),
        'record',
      ),
    isFolded && `median ${formatDuration(medianOf(requests.map(({ ms }) => ms)))}`,
  ];
  const name = operation === null ? path : formatOperation(operation);
  return {
    href: hrefOf('requests', String(id)),
    badge: [status !== null && status < 400 ? 'idle' : 'bad', status ?? 'none'] as const,
    name: isFolded ? `${name} × ${requests.length}` : name,
    note: notes.filter(Boolean).join(' · '),
    ...(!isFolded && { number: formatDuration(newest.ms) }),
    time: <Time at={time} isReal />,
  };
}

function RequestView({ id }: { readonly id: string }) {
  const { data, error } = usePolled<RequestDetail>(`requests/${encodeURIComponent(id)}`);
  const { request, response, ms, operation, ...record } = Object(data);
  const name = operation && formatOperation(operation);
  return (
    <Detail
      title={safe(name ?? data?.path ?? `Request ${id}`)}
      back={hrefOf('requests')}
      error={error}
    >
      {data && <Fields of={{ operation: name, ...record, duration: formatDuration(ms) }} isReal />}
      {data && <Json label="Request body" value={request} />}
      {data && <Json label="Response body" value={response} />}
    </Detail>
  );
}
