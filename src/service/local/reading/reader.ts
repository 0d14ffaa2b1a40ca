import type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  StoredRecord,
  StoredRecords,
} from '../../../catalog/local/answers.ts';
import type { StoredKindName } from '../../../catalog/local/stored-kinds.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Store } from '../../store/store.ts';
import { createServiceClock } from '../clock.ts';
import type { AdminHandlers } from '../handler.ts';
import type { DevelopmentState } from '../state.ts';
import { explainAccess } from './explain.ts';
import { listRecords, type ReadingScope } from './list.ts';
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
  readonly list: (kind: StoredKindName, filter?: ListFilter) => Promise<StoredRecords>;
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
    list: (kind: StoredKindName, filter: ListFilter = {}) =>
      read((scope) => listRecords(scope, kind, filter)),
    show: (request: RecordRequest) => read((scope) => showRecord(scope, request)),
    explain: (question: AccessQuestion) =>
      read((scope) => explainAccess(scope, question, commandOf)),
  };
}

export const records: AdminHandlers<'records', ReaderContext> = {
  'local.list': (context, { kind, org: organization, match, limit }) =>
    createReader(context).list(kind, { organization, match, limit }),
  'local.show': async (context, { kind, id, org: organization }) => ({
    records: await createReader(context).show({ kind, id, organization }),
  }),
  'local.explain': (context, { user, document, org: organization }) =>
    createReader(context).explain({ user, document, organization }),
};
