import type { SvcError } from '../../kernel/errors.ts';
import { mapInner } from '../../kernel/json.ts';
import type { SentRecord } from '../ledger.ts';
import type { LiveRecords } from '../live-records.ts';
import type { Change, PlannedItem, PlannedWrite, ReadRecord } from '../plan.ts';
import { SECRET_MARKER, SecretValue } from '../secret-value.ts';
import type { Declared } from '../settings.ts';

export interface PlanPart {
  readonly changes: readonly Change[];
  readonly writes: readonly PlannedWrite[];
  readonly read: Iterable<ReadRecord>;
}

export interface PlanSource {
  readonly declared: Declared;
  /** Owner of endpoints: their uids start with `<stack>.`. */
  readonly stack?: string | undefined;
  readonly live: LiveRecords;
  readonly prune?: boolean;
  /** Uids of endpoints to delete, in place of all that `prune` selects. */
  readonly deletions?: readonly string[];
  /** Whether a record that cannot be read back was already sent with the same content. */
  readonly isSent: (record: SentRecord) => boolean;
  /** Number of records to send from the file of users, by organization. */
  readonly usersToSend?: ReadonlyMap<string, number>;
  /** Organization of users in the file without one. */
  readonly usersOrganization?: string | undefined;
}

/** Returns a declared value for a plan's writes: secrets become references. */
export function toData(value: unknown): unknown {
  return mapSecrets(value, ({ reference }) => ({ [SECRET_MARKER]: reference }));
}

/** Returns a declared value for a plan's changes: secrets are hidden. */
export function toShown(value: unknown): unknown {
  return mapSecrets(value, () => 'differ');
}

function mapSecrets(value: unknown, replace: (secret: SecretValue) => unknown): unknown {
  return value instanceof SecretValue
    ? replace(value)
    : mapInner(value, (inner) => mapSecrets(inner, replace));
}

export function pickFields(
  record: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (isMissing(record[name]) ? [] : [[name, record[name]]])),
  );
}

export function omitFields(
  record: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => !names.includes(name) && !isMissing(value)),
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Groups items into writes that share an input, in the order of the first item of each group. */
export function groupWrites(
  operation: PlannedWrite['operation'],
  items: readonly { readonly shared: PlannedWrite['shared']; readonly item: PlannedItem }[],
): readonly PlannedWrite[] {
  const groups = Map.groupBy(items, ({ shared }) => JSON.stringify(shared));
  return Array.from(groups.values(), (group) => ({
    operation,
    shared: group[0]?.shared ?? {},
    items: group.map(({ item }) => item),
  }));
}

export function joinParts(parts: readonly PlanPart[]): PlanPart {
  return {
    changes: parts.flatMap(({ changes }) => changes),
    writes: parts.flatMap(({ writes }) => writes),
    read: iterate(function* () {
      for (const { read } of parts) yield* read;
    }),
  };
}

/** Creates the items each time they are read, because a large plan has 100,000 of them. */
export function iterate<Item>(generate: () => Iterator<Item>): Iterable<Item> {
  return { [Symbol.iterator]: generate };
}

export function createRefusedReading(
  about: Pick<Change, 'kind' | 'org' | 'id'>,
  { message: reason }: SvcError,
): PlanPart {
  return { changes: [createChange({ sign: '?', ...about, reason })], writes: [], read: [] };
}

export type NewChange = Pick<Change, 'sign' | 'kind' | 'org' | 'id'> & {
  readonly [Name in 'field' | 'before' | 'after' | 'reason' | 'value']?: Change[Name] | undefined;
};

export function createChange(change: NewChange): Change {
  const { sign, kind, org, id, field = null, before = null, after = null, reason, value } = change;
  return {
    sign,
    kind,
    org,
    id,
    field,
    before,
    after,
    ...(reason && { reason }),
    ...(value !== undefined && { value }),
  };
}
