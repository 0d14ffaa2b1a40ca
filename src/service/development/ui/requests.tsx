import { useCallback, useRef, useState } from 'preact/hooks';
import { Badge, Detail, Empty, Fact, Facts, Filter, Head, Json, Problem, Rows, Time } from './elements.tsx';
import { formatDuration, safe } from './format.ts';
import { hrefOf, type Route } from './route.ts';
import { call, query, usePolled, usePolling } from './service.ts';

interface LoggedRequest {
  readonly id: number;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly status: number;
  readonly error: string | null;
  readonly ms: number;
  readonly fault: string | null;
  readonly records?: number | null;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** Number of requests that the page keeps. The service keeps more. */
const KEPT_REQUESTS = 500;

/** Collects requests, newest first, by asking for those after the last one. */
function useRequests() {
  const [state, setState] = useState<{ readonly log?: readonly LoggedRequest[]; readonly error?: Error }>({});
  const last = useRef<number | undefined>(undefined);
  const read = useCallback(async () => {
    try {
      const path = query('requests', { after: last.current, limit: KEPT_REQUESTS });
      const { requests } = await call<{ readonly requests: readonly LoggedRequest[] }>(path);
      const added = requests.toSorted((a, b) => b.id - a.id);
      last.current = added[0]?.id ?? last.current;
      setState(({ log = [] }) => ({ log: [...added, ...log].slice(0, KEPT_REQUESTS) }));
    } catch (error) {
      setState((state) => ({ ...state, error: error as Error }));
    }
  }, []);
  usePolling(read);
  return state;
}

const outcomeOf = ({ status, error }: LoggedRequest) => [status || 'cut', error].filter(Boolean).join(' ');

function matches(request: LoggedRequest, filter: string): boolean {
  const text = `${request.operation ?? ''} ${request.path} ${outcomeOf(request)} ${request.fault ?? ''}`.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function Requests({ route: [id] }: { readonly route: Route }) {
  const { log, error } = useRequests();
  const [filter, setFilter] = useState('');
  const [pausedAt, setPausedAt] = useState<number>();
  // A row must not move away under the pointer, so requests wait while the pointer is on the list.
  const [heldAt, setHeldAt] = useState<number>();
  const newest = log?.[0]?.id ?? 0;
  const limit = pausedAt ?? heldAt ?? newest;
  const found = log?.filter((request) => request.id <= limit && matches(request, filter)) ?? [];
  const waiting = log?.filter((request) => request.id > limit).length ?? 0;
  return (
    <>
      <section class="list" onPointerOver={() => setHeldAt((held) => held ?? newest)} onPointerLeave={() => setHeldAt(undefined)}>
        <Head title="Requests">
          <Filter label="Filter by operation or status" value={filter} onChange={setFilter} />
          <button
            type="button"
            class="pause"
            aria-pressed={pausedAt !== undefined}
            onClick={() => setPausedAt(pausedAt === undefined ? newest : undefined)}
          >
            {pausedAt === undefined ? 'Pause' : 'Resume'}
            {waiting > 0 && ` (${waiting})`}
          </button>
        </Head>
        <Problem error={error} />
        {log?.length === 0 && (
          <Empty title="No requests yet">
            <p>Requests appear here as soon as they arrive. Send one from another terminal:</p>
            <code>svc users add --org acme --file examples/users.json</code>
          </Empty>
        )}
        {log && log.length > 0 && found.length === 0 && <Empty title="No request matches the filter" />}
        <Rows label="Requests" items={found} keyOf={(request) => String(request.id)} hrefOf={(request) => hrefOf('requests', String(request.id))}>
          {(request) => <RequestRow {...request} />}
        </Rows>
      </section>
      {id !== undefined && <RequestView key={id} id={id} />}
    </>
  );
}

function RequestRow(request: LoggedRequest) {
  const { operation, path, status, ms, fault, records, time } = request;
  return (
    <>
      <Badge tone={status > 0 && status < 400 ? 'good' : 'bad'}>{status || 'cut'}</Badge>
      <span class="name">{safe(operation ?? path)}</span>
      <span class="note">{safe([request.error, fault && `fault ${fault}`, records && `${records} records`].filter(Boolean).join(' · '))}</span>
      <span class="number">{formatDuration(ms)}</span>
      <Time at={time} />
    </>
  );
}

function RequestView({ id }: { readonly id: string }) {
  const { data, error } = usePolled<LoggedRequest>(`requests/${encodeURIComponent(id)}`);
  return (
    <Detail title={data ? safe(data.operation ?? data.path) : `Request ${safe(id)}`} back={hrefOf('requests')}>
      <Problem error={error} />
      {data && (
        <>
          <Facts>
            <Fact name="Status">{outcomeOf(data)}</Fact>
            <Fact name="Request">{safe(`${data.method} ${data.path}`)}</Fact>
            <Fact name="Duration">{formatDuration(data.ms)}</Fact>
            <Fact name="Time">
              <Time at={data.time} />
            </Fact>
            <Fact name="Fault">{data.fault && safe(data.fault)}</Fact>
          </Facts>
          <Json label="Request body" value={data.request} />
          <Json label="Response body" value={data.response} />
        </>
      )}
    </Detail>
  );
}
