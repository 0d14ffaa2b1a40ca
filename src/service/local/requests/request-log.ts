import type { RequestDetail, RequestRecord } from '../../../catalog/local/answers.ts';
import { parseDurationFlag } from '../../../kernel/duration.ts';
import { hint, SvcError, step } from '../../../kernel/errors.ts';
import { formatNounCount } from '../../../kernel/plural.ts';
import { monotonicTime } from '../../../kernel/process.ts';
import { Refusal } from '../../store/refusal.ts';
import type { AdminHandlers } from '../handler.ts';
import type { CallLog, HandledCall } from './call-log.ts';
import { createRecord, redactBodies, withoutBodies } from './record.ts';
import type { NewRequest, RequestFile, RequestFilter } from './request-file.ts';

/** Time to collect requests before writing them, in milliseconds. */
const FLUSH_DELAY = 50;
const MAX_BATCH = 500;
const MAX_PENDING = 5_000;
/**
 * Maximum number of requests per batch that keep their bodies, because redaction is the most
 * expensive step.
 */
const MAX_BODIES = 40;
/** Maximum share of the process's time that writing the file takes. */
const MAX_LOAD = 0.01;
/** Pause after an error, in milliseconds. */
const ERROR_PAUSE = 1_000;

export interface WaitOptions {
  /** Only requests of this operation (default: all). */
  readonly on?: string | undefined;
  /** Number of requests to wait for (default: 1). */
  readonly count?: number | undefined;
  /** Maximum time to wait, in milliseconds (default: 60,000). */
  readonly timeout?: number | undefined;
}

const DEFAULT_WAIT = { count: 1, timeout: 60_000 };
/** Longest wait, in milliseconds, below the limit of timers. */
const MAX_WAIT = 24 * 86_400_000;
/** The latest requests of a service. */
export interface RequestLog extends CallLog {
  readonly list: (filter: RequestFilter) => readonly RequestDetail[];
  readonly find: (id: number) => RequestDetail | undefined;
  readonly wait: (options?: WaitOptions) => Promise<readonly RequestRecord[]>;
  /** Writes all pending requests to the file. */
  readonly flush: () => void;
  readonly endWaits: () => void;
}

export interface RequestLogOptions {
  readonly report?: ((error: unknown) => void) | undefined;
  /** Receives each request, including requests that are dropped from the log. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
}

/**
 * Creates a log that never delays requests. If writing the file is slow or fails, drops requests
 * from the log.
 */
export function createRequestLog(
  file: RequestFile,
  { report, onRequest }: RequestLogOptions = {},
): RequestLog {
  const listeners = new Set(onRequest && [onRequest]);
  const closing = new AbortController();
  const pending: NewRequest[] = [];
  let [nextId, pausedUntil, bodies, hasFailed] = [file.lastId() + 1, 0, 0, false];
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer ??= setTimeout(
      () => flush(MAX_BATCH),
      Math.max(FLUSH_DELAY, pausedUntil - monotonicTime()),
    ).unref();
  };
  const flush = (size: number) => {
    clearTimeout(timer);
    [timer, bodies] = [undefined, 0];
    const started = monotonicTime();
    const batch = pending.splice(0, size);
    let pause = 0;
    try {
      if (batch.length > 0) file.append(batch);
    } catch (error) {
      if (!hasFailed) report?.(error);
      [hasFailed, pause] = [true, ERROR_PAUSE];
    }
    const ended = monotonicTime();
    pausedUntil = ended + pause + (ended - started) * (1 / MAX_LOAD - 1);
    if (pending.length > 0) schedule();
  };
  const flushAll = () => {
    while (pending.length > 0) flush(pending.length);
  };
  return {
    dropIfFull: () => {
      const isDropped = pending.length >= MAX_PENDING && listeners.size === 0;
      // The gap in the IDs shows that a request was dropped.
      if (isDropped) nextId++;
      return isDropped;
    },
    add: (call: HandledCall): void => {
      const id = nextId++;
      const isKept = pending.length < MAX_PENDING;
      const ended = Date.now();
      const record = createRecord(id, call, ended);
      if (isKept) {
        const readBodies = bodies++ < MAX_BODIES ? readBodiesLater(call) : readNoBodies;
        pending.push({ record, ended, readBodies });
        schedule();
      }
      for (const listener of listeners) listener(record);
    },
    list: (filter: RequestFilter): readonly RequestDetail[] => {
      flushAll();
      return file.list(filter);
    },
    find: (id: number): RequestDetail | undefined => {
      flushAll();
      return file.find(id);
    },
    /**
     * Waits for the next requests.
     * @throws SvcError `unreachable` if too few arrive before the timeout, `invalid_input` for an
     * invalid timeout
     */
    wait: async ({
      on,
      count = DEFAULT_WAIT.count,
      timeout = DEFAULT_WAIT.timeout,
    }: WaitOptions = {}) => {
      checkWaitTimeout(timeout);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const found: RequestRecord[] = [];
      const listener = (record: RequestRecord) => {
        if (on === undefined || record.operation === on) found.push(record);
        if (found.length >= count) resolve(found);
      };
      const deadline = setTimeout(resolve, timeout);
      listeners.add(listener);
      closing.signal.addEventListener('abort', resolve);
      await promise;
      closing.signal.removeEventListener('abort', resolve);
      listeners.delete(listener);
      clearTimeout(deadline);
      if (found.length < count) throw createWaitError({ on, count, timeout }, found.length);
      return found.slice(0, count);
    },
    flush: flushAll,
    /** Ends all pending calls of `wait`. */
    endWaits: () => closing.abort(),
  };
}

/**
 * A function of its own, so that requests without bodies in the log do not keep their calls in
 * memory.
 */
function readBodiesLater(call: HandledCall): () => ReturnType<typeof redactBodies> {
  return () => redactBodies(call);
}

const NO_BODIES = { request: null, response: null };
const readNoBodies = () => NO_BODIES;

/** @throws SvcError `invalid_input` */
export function checkWaitTimeout(milliseconds: number): void {
  if (milliseconds >= 0 && milliseconds <= MAX_WAIT) return;
  throw new SvcError('invalid_input', 'the timeout of a wait must be at most 24 days', {
    hint: 'wait again when it ends',
  });
}

export function createWaitError(
  { on, count, timeout }: typeof DEFAULT_WAIT & Pick<WaitOptions, 'on'>,
  found: number,
): SvcError {
  const requests = formatNounCount(count, on === undefined ? 'request' : `${on} request`);
  return new SvcError(
    'unreachable',
    `expected ${requests} within ${timeout / 1_000} s, got ${found}`,
  );
}

export interface RequestContext {
  /** Undefined if requests are not logged. */
  readonly requests: Pick<RequestLog, 'list' | 'find' | 'wait'> | undefined;
}

export const requests: AdminHandlers<'requests', RequestContext> = {
  'local.requests.list': async (context, filter) => {
    const { limit, after } = filter;
    const found = requireLog(context).list({ ...filter, limit: limit + 1 });
    const more = found.length > limit;
    // The latest requests, or the first ones after an ID.
    const requests = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    return { requests: requests.map(withoutBodies), more };
  },
  'local.requests.show': async (context, { id }) => {
    const log = requireLog(context);
    const found = /^\d{1,15}$/.test(id) ? log.find(Number(id)) : undefined;
    if (found) return found;
    throw new SvcError('not_found', `request '${id}' not found`, {
      hint: hint`to list the requests, run ${step('list', 'local', 'requests', 'list')}`,
    });
  },
  'local.requests.wait': async (context, { wait: { timeout, ...options } }) => {
    const milliseconds =
      typeof timeout === 'string' ? parseDurationFlag('timeout', timeout) : timeout;
    return { requests: await requireLog(context).wait({ ...options, timeout: milliseconds }) };
  },
};

function requireLog({ requests: log }: RequestContext) {
  if (log) return log;
  throw new Refusal('NOT_FOUND', 'Not Found');
}
