import type { Clock } from '../../../kernel/clock.ts';
import { SvcError } from '../../../kernel/errors.ts';
import { maskSecret } from '../../../kernel/redact.ts';
import type { Store } from '../../store/store.ts';
import type { AdminRoutes } from '../admin.ts';
import { createServiceClock } from '../clock.ts';
import type { DevelopmentState } from '../state.ts';
import type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  StoredRecord,
  StoredRecords,
} from './answers.ts';
import { explainAccess } from './explain.ts';
import { STORED_KINDS, type StoredKind } from './kinds.ts';
import { listRecords, parseKind, type ReadingScope } from './list.ts';
import { showRecord } from './show.ts';

export interface ReaderContext {
  readonly store: Store;
  readonly apiKey: string;
  readonly development: DevelopmentState;
  readonly realClock: Clock;
  readonly commandOf: (words: readonly string[]) => string;
}

/** Reads data that the API cannot return. */
export interface Reader {
  readonly list: (kind: string, filter?: ListFilter) => Promise<StoredRecords>;
  readonly show: (request: RecordRequest) => Promise<readonly StoredRecord[]>;
  readonly explain: (question: AccessQuestion) => Promise<Explanation>;
}

/** Creates functions that read data that the API cannot return, each in one transaction. */
export function createReader({
  store,
  apiKey,
  development,
  realClock,
  commandOf,
}: ReaderContext): Reader {
  const clock = createServiceClock(realClock, development);
  const read = <Result>(work: (scope: ReadingScope) => Promise<Result>) =>
    store.read(async (database) => {
      await development.current(database);
      return work({ database, apiKey, now: clock.now() });
    });
  return {
    list: (kind: string, filter: ListFilter = {}) =>
      read((scope) => listRecords(scope, parseKind(kind), filter)),
    show: (request: RecordRequest) => read((scope) => showRecord(scope, request)),
    explain: (question: AccessQuestion) =>
      read((scope) => explainAccess(scope, question, commandOf)),
  };
}

/** @throws SvcError `usage` unless the text is a positive whole number */
function parseLimit(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SvcError('usage', `limit must be a positive whole number, got '${text}'`);
}

/** Creates the admin routes for reading. Masks secrets in lists. */
export function createReadingRoutes(reader: Reader): AdminRoutes {
  const optional = (query: URLSearchParams, name: string) => query.get(name) ?? undefined;
  const required = (query: URLSearchParams, name: string) => {
    const value = query.get(name);
    if (!value) throw new SvcError('usage', `the query parameter '${name}' is missing`);
    return value;
  };
  return {
    'GET /_svc/list': async ({ query }) => {
      const name = parseKind(required(query, 'kind'));
      const limit = parseLimit(query.get('limit'));
      const filter = {
        organization: optional(query, 'org'),
        match: optional(query, 'match'),
        limit,
      };
      const { records, more } = await reader.list(name, filter);
      const { secret = '' }: StoredKind = STORED_KINDS[name];
      const masked = records.map((record) => ({
        ...record,
        ...(secret in record && { [secret]: maskSecret(String(record[secret])) }),
      }));
      return { records: masked, more };
    },
    'GET /_svc/show': async ({ query }) => {
      const [kind, id] = [required(query, 'kind'), required(query, 'id')];
      return { records: await reader.show({ kind, id, organization: optional(query, 'org') }) };
    },
    'GET /_svc/explain': async ({ query }) => {
      const [user, document] = [required(query, 'user'), required(query, 'document')];
      return reader.explain({ user, document, organization: required(query, 'org') });
    },
  };
}
