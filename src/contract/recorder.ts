import type { Operation } from '../catalog/define.ts';
import { loadOperation, type OperationName } from '../catalog/index.ts';
import { groupByPath, type OperationEntry } from '../catalog/manifest.ts';
import { selectOperation } from '../catalog/select-operation.ts';
import type { Exchange } from '../client/client-options.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { monotonicTime } from '../kernel/process.ts';
import {
  type Contract,
  EMPTY_CONTRACT,
  type Envelope,
  type Outcome,
  outcomeKey,
} from './contract.ts';
import { limitMessages, mergeContracts } from './merge.ts';
import {
  createErrorGuide,
  createResultGuide,
  fieldNamesOf,
  type ResponseGuide,
} from './response-guide.ts';
import { FieldCounts, migrationStateOf, type OpenedBody, openBody } from './response-shape.ts';
import { createMessageTemplate } from './vocabulary.ts';

/** Records the shapes of exchanges in memory. */
export interface Recorder {
  /** Adds an exchange. Returns at once, and does not throw. */
  readonly record: (exchange: Exchange) => void;
  /** The contract of all exchanges so far. */
  contract(): Promise<Contract>;
}

/** Responses of one outcome that are examined in any case. */
const MIN_EXAMINED = 5;
/** Share of the time that the recording of a long job may take. */
const MAX_SHARE = 0.005;
/** Length of a body in characters above which only the first of an outcome is examined. */
const LARGE_BODY = 4_000_000;
/** Form of an error status. Any other text could be a value. */
const STATUS = /^(success|[A-Z][A-Z_]{1,39})$/;
const HEADERS = [
  'retry-after',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

interface OutcomeCounts {
  readonly http: number;
  readonly envelope: Envelope;
  readonly status: string | null;
  seen: number;
  examined: number;
  readonly messages: Set<string>;
  readonly headers: Set<string>;
  readonly fields: FieldCounts;
  readonly lastCursor: Set<string>;
  readonly nextCursor: Set<string>;
  largestPage: number;
}

interface RecordedOperation {
  readonly operation: Operation;
  readonly fieldNames: ReadonlySet<string>;
  readonly guide: ResponseGuide;
  readonly outcomes: Map<string, OutcomeCounts>;
  /** States by migration. */
  readonly states: Map<string, string[]>;
  /** The outcome that successful responses usually have. */
  usual: OutcomeCounts | undefined;
}

export function createRecorder(now: () => number = monotonicTime): Recorder {
  const operations = new Map<OperationName, RecordedOperation>();
  const loading = new Map<OperationName, Promise<void>>();
  let otherPaths = 0;
  let started: number | undefined;
  let spent = 0;

  function add(exchange: Exchange, recorded: RecordedOperation): void {
    const start = now();
    started ??= start;
    const { usual } = recorded;
    const isWithinShare = spent <= MAX_SHARE * (start - started);
    if (exchange.confirmed && usual && usual.examined >= MIN_EXAMINED && !isWithinShare) {
      usual.seen += 1;
      return;
    }
    addExchange(exchange, recorded);
    spent += now() - start;
  }

  return {
    record(exchange) {
      const entry = findEntry(exchange);
      if (!entry) {
        otherPaths += 1;
        return;
      }
      const recorded = operations.get(entry.name);
      if (recorded) {
        add(exchange, recorded);
        return;
      }
      const loaded = (loading.get(entry.name) ?? Promise.resolve())
        .then(async () => {
          const operation = await loadOperation(entry.resource, entry.name);
          const known = operations.get(entry.name) ?? createRecorded(operation);
          operations.set(entry.name, known);
          add(exchange, known);
        })
        .catch(() => undefined);
      loading.set(entry.name, loaded);
    },
    async contract() {
      await Promise.all(loading.values());
      const recorded = [...operations].map(
        ([name, each]) => [name, [...each.outcomes.values()].map(toOutcome(each))] as const,
      );
      return mergeContracts({ operations: new Map(recorded), otherPaths }, EMPTY_CONTRACT);
    },
  };
}

function createRecorded(operation: Operation): RecordedOperation {
  return {
    operation,
    fieldNames: fieldNamesOf(operation),
    guide: createResultGuide(operation),
    outcomes: new Map(),
    states: new Map(),
    usual: undefined,
  };
}

let entriesByPath: ReadonlyMap<string, readonly OperationEntry[]> | undefined;

function findEntry({ path, requestBody }: Exchange): OperationEntry | undefined {
  entriesByPath ??= groupByPath();
  const entries = entriesByPath.get(path) ?? [];
  return entries.length > 1 ? selectOperation(entries, dataOf(requestBody)) : entries[0];
}

function dataOf(requestBody: string): unknown {
  const body = tryParseJson(requestBody);
  return isObject(body) ? body['data'] : undefined;
}

function addExchange(exchange: Exchange, recorded: RecordedOperation): void {
  const { httpStatus, body, header } = exchange.response;
  const text = 'text' in body ? body.text : undefined;
  const isLarge = (text?.length ?? 0) > LARGE_BODY;
  const opened = openBody(text, httpStatus >= 200 && httpStatus < 300);
  const counts = findCounts(recorded, httpStatus, opened);
  counts.seen += 1;
  if (exchange.confirmed) recorded.usual = counts;
  for (const name of HEADERS) if (header?.(name) !== undefined) counts.headers.add(name);
  if (isLarge && counts.examined > 0) return;
  counts.examined += 1;
  const { message } = opened;
  if (message !== undefined) {
    const isDeclared = message === recorded.operation.message;
    const values = isDeclared ? NO_VALUES : new Set(stringsIn(dataOf(exchange.requestBody)));
    counts.messages.add(createMessageTemplate(message, recorded.fieldNames, values));
  }
  const guide =
    opened.envelope === 'error' ? createErrorGuide(opened.content['details']) : recorded.guide;
  counts.fields.add(opened.content, guide);
  counts.fields.addSiblings(opened.siblings);
  if (opened.status === 'success' || opened.envelope === 'data')
    addPageAndState(opened, recorded, counts);
}

const NO_VALUES: ReadonlySet<string> = new Set();

/** The strings and numbers of a request, except the keys of its objects. */
function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isObject(value)) for (const inner of Object.values(value)) yield* stringsIn(inner);
}

function findCounts(
  { outcomes }: RecordedOperation,
  http: number,
  { envelope, status }: OpenedBody,
): OutcomeCounts {
  const known = status === null || STATUS.test(status) ? status : '(other)';
  const outcome = { http, envelope, status: known };
  const key = outcomeKey(outcome);
  const counts = outcomes.get(key) ?? {
    ...outcome,
    seen: 0,
    examined: 0,
    messages: new Set<string>(),
    headers: new Set<string>(),
    fields: new FieldCounts(),
    lastCursor: new Set<string>(),
    nextCursor: new Set<string>(),
    largestPage: 0,
  };
  outcomes.set(key, counts);
  return counts;
}

const MAX_STATES = 10;

function addPageAndState(
  { content }: OpenedBody,
  { operation, states }: RecordedOperation,
  counts: OutcomeCounts,
): void {
  const { pages, records, path } = operation;
  const data = content['data'];
  if (pages) {
    const cursor = pages.cursorOut(content, isObject(data) || Array.isArray(data) ? data : null);
    (cursor ? counts.nextCursor : counts.lastCursor).add(describeCursor(cursor));
    const list = records === undefined ? data : Object(data)[records];
    if (Array.isArray(list)) counts.largestPage = Math.max(counts.largestPage, list.length);
  }
  const isMigration = path.endsWith('/migrate/status');
  const { migrationId, status } = Object(data);
  if (!isMigration || typeof migrationId !== 'string' || typeof status !== 'string') return;
  const seen = states.get(migrationId) ?? [];
  const state = migrationStateOf(status);
  if (seen.at(-1) !== state && seen.length < MAX_STATES) seen.push(state);
  states.set(migrationId, seen);
}

function describeCursor(cursor: unknown): string {
  if (cursor === undefined) return 'absent';
  if (cursor === null || cursor === '') return cursor === null ? 'null' : 'empty';
  return typeof cursor;
}

function toOutcome({ states }: RecordedOperation) {
  return (counts: OutcomeCounts): Outcome => {
    const { http, envelope, status, seen, examined, largestPage } = counts;
    const fields = counts.fields.fields();
    const select = (always: boolean) =>
      Object.fromEntries(
        fields.filter((each) => each.always === always).map(({ path, types }) => [path, types]),
      );
    const sequences = [...new Set([...states.values()].map((each) => each.join(' > ')))].sort();
    const isPaged = counts.lastCursor.size + counts.nextCursor.size > 0;
    return {
      http,
      envelope,
      status,
      seen,
      examined,
      messages: limitMessages([...counts.messages].sort()),
      headers: [...counts.headers].sort(),
      always: select(true),
      sometimes: select(false),
      values: counts.fields.values(),
      ...(isPaged && {
        pages: {
          lastCursor: [...counts.lastCursor].sort(),
          nextCursor: [...counts.nextCursor].sort(),
          largestPage,
        },
      }),
      ...(status === 'success' && sequences.length > 0 && { sequences }),
    };
  };
}
