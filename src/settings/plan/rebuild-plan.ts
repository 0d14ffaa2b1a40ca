import { valueAt, withValue } from '../../kernel/field-path.ts';
import { formatCanonicalJson, isObject } from '../../kernel/json.ts';
import { type ConfigName, secretPathOf } from '../kinds.ts';
import type { LiveRecords } from '../live-records.ts';
import { type Change, findUsersFile, type Plan } from '../plan.ts';
import { formatReference, SECRET_MARKER, type SecretReference } from '../secret-value.ts';
import { createRecordKey, type Declared, type DeclaredRecord } from '../settings.ts';
import { buildPlan } from './build-plan.ts';
import type { SecretsByReference } from './item-secrets.ts';
import { type SavedPlan, withoutVolatile } from './saved-plan.ts';

export interface PlannedAgainst {
  readonly live: LiveRecords;
  readonly secrets: SecretsByReference;
  /** Number of records to send from the plan's file of users, by organization. */
  readonly usersToSend?: ReadonlyMap<string, number> | undefined;
}

/**
 * Plans the values of a saved plan again, like those of a settings file. All writes of a saved plan
 * come from here.
 */
export function rebuildPlan(
  saved: SavedPlan,
  { live, secrets, usersToSend }: PlannedAgainst,
): Plan {
  const { target, query, changes, predicted, notRestored } = saved;
  const values = collectValues(changes, secrets);
  const plan = buildPlan({
    ...values,
    stack: saved.stack ?? undefined,
    pruneLimit: values.deletions.length,
    usersOrganization: findUsersFile(changes)?.organizationId,
    ...(usersToSend && { usersToSend }),
    target,
    query,
    live,
    isSent: () => false,
  });
  return { ...plan, predicted, notRestored };
}

/**
 * Returns the first record whose value makes other changes than a saved plan shows, if any.
 */
export function findUnshownChange(saved: SavedPlan, rebuilt: Plan): string | undefined {
  const [shown, made] = [saved.changes.filter(isWritten), rebuilt.changes.filter(isWritten)];
  const count = Math.max(shown.length, made.length);
  for (let at = 0; at < count; at += 1) {
    const [left, right] = [shown[at], made[at]];
    if (left && right && formatComparable(left) === formatComparable(right)) continue;
    const { kind, org, id } = (left ?? right) as Change;
    return createRecordKey(kind, org, ...(id === null ? [] : [id]));
  }
  return undefined;
}

/** Whether a change makes a write. */
export function isWritten({ sign }: Change): boolean {
  return sign !== '!' && sign !== '?';
}

/** Formats a change so that equal changes have equal text. */
export function formatComparable(change: Change): string {
  const { before } = change;
  return formatCanonicalJson({
    ...change,
    before: isObject(before) ? withoutVolatile(before) : before,
  });
}

interface PlannedValues {
  readonly declared: Declared;
  readonly deletions: readonly string[];
}

/** Collects the values of all records, each once, as declarations. */
function collectValues(changes: readonly Change[], secrets: SecretsByReference): PlannedValues {
  const declared = {
    organizations: [] as DeclaredRecord[],
    folders: [] as DeclaredRecord[],
    documents: [] as DeclaredRecord[],
    groups: [] as DeclaredRecord[],
    users: [] as DeclaredRecord[],
    endpoints: [] as DeclaredRecord[],
    config: {} as Record<string, DeclaredRecord>,
  };
  const deletions: string[] = [];
  const seen = new Set<string>();
  for (const { sign, kind, org, id, value } of changes) {
    const key = createRecordKey(kind, org, String(id));
    // Users may be listed twice, and are then sent twice.
    const isFirst = sign === '>' || !seen.has(key);
    seen.add(key);
    if (value === undefined || !isFirst) continue;
    const record = Object(value) as DeclaredRecord;
    if (sign === '-') deletions.push(String(id));
    else if (kind === 'config')
      declared.config[String(id)] = revealReference(id as ConfigName, record, secrets);
    else if (kind !== 'agents' && kind !== 'apiKeys') declared[kind].push(record);
  }
  const file = findUsersFile(changes);
  return {
    declared: { ...declared, ...(file && { users: file }) },
    deletions,
  };
}

function revealReference(
  config: ConfigName,
  record: DeclaredRecord,
  secrets: SecretsByReference,
): DeclaredRecord {
  const path = secretPathOf(config);
  const reference = path && valueAt(record, [...path, SECRET_MARKER]);
  if (!path || reference === undefined) return record;
  return withValue(record, path, secrets.get(formatReference(reference as SecretReference)));
}
