import { Readable } from 'node:stream';
import { BitSet } from '../bulk/bit-set.ts';
import { type IdentifiedRecord, resolveDuplicates } from '../bulk/duplicates.ts';
import { openInputFile } from '../bulk/input-file.ts';
import { createPreparer } from '../bulk/record-preparation.ts';
import { findRecordProblems } from '../bulk/record-problem.ts';
import { RepeatedIdDetector } from '../bulk/repeated-ids.ts';
import { namesInRows } from '../bulk/source/column-guesses.ts';
import {
  InputError,
  type Position,
  type Source,
  type SourceRecord,
} from '../bulk/source/source.ts';
import { isIdField, type SuspiciousValue, SuspiciousValues } from '../bulk/suspicious-values.ts';
import { type BulkFields, bulkFieldsOf, withOwnOrganization } from '../catalog/bulk-fields.ts';
import { loadResource } from '../catalog/index.ts';
import { describeSelection, findSelectingFields } from '../catalog/selecting-fields.ts';
import { limitHeapGrowth } from '../kernel/heap.ts';
import { type SentRecord, toSentRecord } from './ledger.ts';
import type { PlannedFile } from './plan.ts';
import { createRecordKey } from './settings.ts';

type UsersFile = Omit<PlannedFile, 'records'>;

export interface FileUser extends IdentifiedRecord {
  readonly organizationId: string;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function toSentUser({
  organizationId,
  userId,
  data,
}: Pick<FileUser, 'organizationId' | 'userId' | 'data'>): SentRecord {
  const key = createRecordKey('users', organizationId, userId);
  return toSentRecord({ operation: 'users.add.v2', shared: { organizationId } }, { key, data });
}

/**
 * Checks every user of a file, and counts those to send, by organization.
 * @throws SvcError `invalid_input` with the position of an invalid or repeated user
 */
export async function countUsersToSend(
  file: UsersFile,
  isSent: (record: SentRecord) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const ids = new RepeatedIdDetector();
  for await (const users of readUsersFile(file, signal)) {
    for (const user of users) {
      ids.add(user.id);
      const count = counts.get(user.organizationId) ?? 0;
      counts.set(user.organizationId, count + (isSent(toSentUser(user)) ? 0 : 1));
    }
  }
  await resolveDuplicates(() => readUsersFile(file, signal), ids.takeRepeated(), {
    duplicates: 'fail',
    skipped: new BitSet(),
    reportDuplicate: (user, earlier) => {
      throw new InputError(
        file.path,
        user,
        `userId: '${JSON.parse(user.id)[1]}' is already on line ${earlier.line}`,
      );
    },
  });
  return counts;
}

/**
 * Reads the users of a file, in chunks.
 * @throws SvcError `invalid_input` with the position of an invalid user
 */
export async function* readUsersFile(
  file: UsersFile,
  signal: AbortSignal,
): AsyncGenerator<readonly FileUser[]> {
  limitHeapGrowth();
  const fields = await userFields();
  const { path, copy = path } = file;
  const { listName, knownFields, targetFields, id } = fields;
  const input = await openInputFile({
    file: copy,
    name: path,
    cwd: '/',
    stdin: { stream: Readable.from([]) },
    signal,
    spool: '',
    listName,
    knownFields,
    targetFields,
    id,
  });
  const source = await input.open();
  const prepare = createPreparer(source, { fields, shared: {}, generateId: () => '' });
  const check = createUserCheck(fields, source, path);
  for await (const chunk of source.recordChunks) {
    yield chunk.map((record, at) => {
      const { value, ownFields, problems } = prepare(record, at);
      const [problem] = [...problems, ...findRecordProblems(fields.schema, value)];
      if (problem)
        throw new InputError(
          path,
          record,
          [problem.field, problem.message].filter(Boolean).join(': '),
        );
      const { organizationId = file.organizationId, ...data } = ownFields;
      if (organizationId === undefined)
        throw new InputError(path, record, 'organizationId: is required');
      check.inspect(ownFields, record);
      const { line, column } = record;
      const user = { organizationId: String(organizationId), userId: String(data['userId']), data };
      const id = JSON.stringify([user.organizationId, user.userId]);
      return { ...user, id, key: id, index: at, file: path, line, column };
    });
  }
  check.end();
}

/**
 * Creates the check for what an import of the same file refuses: fields that look like those that
 * choose an organization or a role, and IDs that nobody typed.
 */
function createUserCheck(fields: BulkFields, source: Source, path: string) {
  const known = new Set(fields.knownFields);
  const suspicious = new SuspiciousValues(fields.knownFields.filter(isIdField));
  suspicious.startFile(() => ({
    required: [],
    headingOf: (field) => source.heading?.(field),
    fieldNames: namesInRows(source.columns?.() ?? [], fields),
  }));
  const fail = (position: Partial<Position>, found: readonly SuspiciousValue[]) => {
    const problem = found.find(({ isId }) => isId);
    if (!problem) return;
    const hint = 'fix the ID; if it is right, declare the user in the settings file';
    throw new InputError(path, position, `${problem.field}: ${problem.message}`, hint);
  };
  return {
    inspect(user: Readonly<Record<string, unknown>>, position: SourceRecord): void {
      for (const field of findSelectingFields(user, known, fields)) {
        const hint = `name it '${field.means}', or remove it`;
        throw new InputError(path, position, describeSelection(field), hint);
      }
      fail(position, suspicious.inspect(user, position.isPlain === true));
    },
    end: () => fail({}, suspicious.takeSummary(source.columns !== undefined)),
  };
}

async function userFields(): Promise<BulkFields> {
  const { 'users.add.v2': add } = await loadResource('users');
  return withOwnOrganization(bulkFieldsOf(add));
}
