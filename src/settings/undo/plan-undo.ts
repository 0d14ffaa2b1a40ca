import type { SvcError } from '../../kernel/errors.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { diffRecords, isUnset } from '../differ.ts';
import type { MadeChanges } from '../execute/item-states.ts';
import type { ConfigName } from '../kinds.ts';
import { queryKeys } from '../live/declared-query.ts';
import { findLiveRecord, type LiveRecord, type LiveRecords } from '../live-records.ts';
import { buildPlan } from '../plan/build-plan.ts';
import { NOT_CLEARABLE } from '../plan/endpoints.ts';
import { createRefusedReading } from '../plan/part.ts';
import { isPlannable } from '../plan/saved-plan-schema.ts';
import type { Change, Plan, PlanTarget, RecordKey } from '../plan.ts';
import { type DeclaredRecord, parseRecordKey } from '../settings.ts';
import type { BeforeImage } from './before-images.ts';

/**
 * Plans to restore the values that were replaced. A field that was changed later is left as it is,
 * and listed under `notRestored`.
 */
export function planUndo(
  target: PlanTarget,
  images: readonly BeforeImage[],
  live: LiveRecords,
): Plan {
  const declared = {
    folders: [] as DeclaredRecord[],
    endpoints: [] as DeclaredRecord[],
    config: {} as Record<string, DeclaredRecord>,
  };
  const notRestored: string[] = [];
  const refused: Change[] = [];
  for (const image of images) {
    const { kind, id, org } = parseRecordKey(image.key);
    const found = findLiveRecord(live, image.key);
    const skip: Skip = (reason, field = '') =>
      notRestored.push(`${kind} ${id}${org && ` (${org})`}${field && ` ${field}`}: ${reason}`);
    for (const field of image.secrets) skip('svc does not store replaced secrets', field);
    if (image.isDeleted) {
      const record = recreateEndpoint(image, live, skip);
      if (record) declared.endpoints.push(record);
      if (record)
        notRestored.push(
          `endpoint ${record['uid']} returns with a new ID and signing secret, and without its metadata`,
        );
      continue;
    }
    const problem = found ? undefined : findProblem(live, image.key);
    if (problem) {
      const about = { kind, org: org || null, id };
      refused.push(...createRefusedReading(about, problem).changes);
      continue;
    }
    if (!found) {
      skip('it no longer exists');
      continue;
    }
    const identity =
      kind === 'folders'
        ? { organizationId: org, folderId: id }
        : kind === 'endpoints'
          ? { id: found['id'], uid: found['uid'] }
          : {};
    const isValid = (fields: DeclaredRecord) => isPlannable(kind, id, { ...identity, ...fields });
    const restored = restoreFields(image, found, isValid, skip);
    if (Object.keys(restored).length === 0) continue;
    if (kind === 'folders') declared.folders.push({ ...identity, ...restored });
    else if (kind === 'endpoints') declared.endpoints.push({ ...identity, ...restored });
    else declared.config[id] = restored;
  }
  const query = queryKeys(images.map(({ key }) => key));
  const plan = buildPlan({ target, declared, live, query, isSent: () => false });
  return { ...plan, changes: [...plan.changes, ...refused], notRestored };
}

/** Returns why a record could not be read; `undefined` if it was read, or does not exist. */
function findProblem(live: LiveRecords, key: RecordKey): SvcError | undefined {
  const { kind, org, id } = parseRecordKey(key);
  if (kind === 'folders') return live.folders.get(org)?.problem;
  if (kind === 'endpoints') return live.endpoints?.problem;
  return live.configs.get(id as ConfigName)?.problem;
}

type Skip = (reason: string, field?: string) => void;

/** Returns a new endpoint in place of a deleted one, unless there is one with the same uid. */
function recreateEndpoint(
  { fields, secrets }: BeforeImage,
  { endpoints }: LiveRecords,
  skip: Skip,
): DeclaredRecord | undefined {
  const record = Object.fromEntries(fields.map(({ path, before }) => [path[0], before]));
  const { uid, id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = record;
  if (endpoints?.records?.some((endpoint) => endpoint['uid'] === uid)) return undefined;
  if (typeof uid === 'string') return secrets.includes('url') ? undefined : { uid, ...settings };
  skip('it has no uid, and its ID cannot be restored');
  return undefined;
}

/**
 * Returns the fields that still have the value that was written, with their values before.
 * @param isValid whether a plan may contain these fields of the record
 */
function restoreFields(
  { fields }: BeforeImage,
  live: LiveRecord,
  isValid: (fields: DeclaredRecord) => boolean,
  skip: Skip,
): DeclaredRecord {
  let restored: DeclaredRecord = {};
  for (const { path, before, after } of fields) {
    const now = valueAt(live, path);
    const field = path.join('.');
    if (isSame(now, before)) continue;
    const earlier = before ?? (typeof after === 'boolean' ? false : '');
    const more = withValue(restored, path, earlier);
    if (!isSame(now, after)) skip(`it was changed later, to ${JSON.stringify(now ?? null)}`, field);
    else if (isUnset(before) && NOT_CLEARABLE.includes(path[0] ?? ''))
      skip('the API cannot clear it', field);
    else if (!isValid(more)) skip(`the API does not accept ${JSON.stringify(earlier)}`, field);
    else restored = more;
  }
  return restored;
}

function isSame(left: unknown, right: unknown): boolean {
  return diffRecords({ value: left }, { value: right }, { fieldsOf: 'both' }).length === 0;
}

/**
 * Sentences about writes of bulk operations that cannot be undone, by the end of the operation's
 * name.
 */
const PERMANENT_OPERATIONS: readonly (readonly [ending: RegExp, sentence: string])[] = [
  [/^notifications\./, 'notifications cannot be recalled'],
  [/^documents\.migrate/, 'a migration cannot be reverted'],
  [/\.add(-users)?(\.v2)?$/, 'records that the job created stay'],
];

/**
 * Describes the writes of a bulk job that cannot be undone.
 * @param hasImages whether the job saved replaced values
 */
export function describePermanentOperation(
  operation: string,
  hasImages: boolean,
): readonly string[] {
  const known = PERMANENT_OPERATIONS.find(([ending]) => ending.test(operation));
  if (known) return [known[1]];
  return hasImages ? [] : [`the values that ${operation} replaced are unknown`];
}

export function describePermanentChanges({ changes, users }: MadeChanges): readonly string[] {
  const created = changes.filter(({ sign }) => sign === '+').length;
  const sent = changes.filter(({ sign }) => sign === '>').length + users;
  return [
    ...(created > 0
      ? [`${formatNounCount(created, 'record')} that the job created: creations are not undone`]
      : []),
    ...(sent > 0
      ? [`${formatNounCount(sent, 'record')} that the job sent: earlier values cannot be read`]
      : []),
    ...changes
      .filter(({ sign }) => sign === '-/+')
      .map(
        ({ id }) =>
          `endpoint ${id}: it was replaced, and its earlier ID and signing secret are lost`,
      ),
  ];
}
