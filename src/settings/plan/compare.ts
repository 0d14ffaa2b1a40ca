import {
  CONTENT_KINDS,
  findRecordKind,
  RECORD_KINDS,
  SETTINGS_KINDS,
} from '../../catalog/record-kinds.ts';
import type { State } from '../../catalog/state.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { diffRecords } from '../differ.ts';
import { CONFIGS, type ConfigName, KIND_CLASSES } from '../kinds.ts';
import type { LiveRecords, Reading } from '../live-records.ts';
import type { Change } from '../plan.ts';
import { SecretValue } from '../secret-value.ts';
import {
  createRecordKey,
  type Declared,
  type DeclaredRecord,
  parseRecordKey,
  type RecordKey,
  type RecordKind,
} from '../settings.ts';
import { createChange, toShown } from './part.ts';

/** A kind of records that the service refused to read. */
type UnreadableKind = Pick<Change, 'kind' | 'org' | 'id'> & { readonly problem: SvcError };

/** One of the two sets of records to compare: those of a service, or those that a file declares. */
export interface ComparedRecords {
  readonly records: ReadonlyMap<RecordKey, DeclaredRecord>;
  /** Whether the records are declared, so that fields that they omit are not compared. */
  readonly isDeclared: boolean;
  readonly unreadable: readonly UnreadableKind[];
}

/**
 * @param declared records to compare with: an endpoint that they declare by its ID has the same
 * name in both sets
 */
export function collectLiveRecords(live: LiveRecords, declared: Declared = {}): ComparedRecords {
  const names = new Map((declared.endpoints ?? []).map((one) => [one['id'], endpointName(one)]));
  const records = new Map<RecordKey, DeclaredRecord>();
  const unreadable: ComparedRecords['unreadable'][number][] = [];
  const add = <Records>(
    kind: RecordKind,
    org: string | null,
    id: string | null,
    reading: Reading<Records> | undefined,
    entries: (found: Records) => Iterable<readonly [string, DeclaredRecord]>,
  ) => {
    if (reading?.problem) unreadable.push({ kind, org, id, problem: reading.problem });
    else if (reading)
      for (const [name, record] of entries(reading.records))
        records.set(createRecordKey(kind, org, name), record);
  };
  for (const [org, reading] of live.folders) add('folders', org, null, reading, (found) => found);
  for (const [org, reading] of live.documents)
    add('documents', org, null, reading, (found) => found);
  add('agents', null, null, live.agents, (found) => found);
  add('apiKeys', null, null, live.apiKeys, (found) => found);
  for (const [name, reading] of live.configs)
    add('config', null, name, reading, (record) => [[name, wrapSecret(name, record)]]);
  add('endpoints', null, null, live.endpoints, (found) =>
    found.map((endpoint) => [names.get(endpoint['id']) ?? endpointName(endpoint), endpoint]),
  );
  return { records, isDeclared: false, unreadable };
}

/** Kinds whose records are named by their identifying fields. */
const LISTED_KINDS = SETTINGS_KINDS.filter((kind) => kind !== 'config' && kind !== 'endpoints');

export function collectDeclaredRecords(source: Declared | State): ComparedRecords {
  const declared = source as Declared;
  const { config = {}, endpoints = [] } = declared;
  const records = new Map<RecordKey, DeclaredRecord>();
  for (const kind of LISTED_KINDS) {
    const list = declared[kind] ?? [];
    const names: readonly string[] = RECORD_KINDS[kind].identity;
    for (const record of 'from' in list ? [] : list) {
      const org = names.length === 1 ? null : String(record['organizationId']);
      records.set(createRecordKey(kind, org, String(record[names.at(-1) ?? ''])), record);
    }
  }
  for (const [name, record] of Object.entries(config))
    records.set(createRecordKey('config', null, name), wrapSecret(name as ConfigName, record));
  for (const endpoint of endpoints)
    records.set(createRecordKey('endpoints', null, endpointName(endpoint)), endpoint);
  return { records, isDeclared: true, unreadable: [] };
}

/**
 * Returns a configuration with its secret as a `SecretValue`, so that it is compared but never
 * shown.
 */
function wrapSecret(name: ConfigName, record: DeclaredRecord): DeclaredRecord {
  const { nested, secret } = CONFIGS[name];
  const inner = nested === undefined ? undefined : record[nested];
  const value = isObject(inner) && secret !== undefined ? inner[secret] : undefined;
  if (typeof value !== 'string' || value === '') return record;
  return {
    ...record,
    [String(nested)]: { ...Object(inner), [String(secret)]: new SecretValue({ env: name }, value) },
  };
}

/** Names an endpoint by its uid, or by its URL, because its ID differs between services. */
function endpointName({ uid, url }: DeclaredRecord): string {
  return String(uid ?? url);
}

/**
 * Compares two sets of records. The first set provides the `before` values. If only one set is
 * declared, only its records and fields are compared. What one of them cannot read is not compared.
 */
export function compareRecords(first: ComparedRecords, second: ComparedRecords): readonly Change[] {
  const partial =
    first.isDeclared === second.isDeclared ? undefined : first.isDeclared ? first : second;
  const keys = partial
    ? partial.records.keys()
    : new Set([...first.records.keys(), ...second.records.keys()]);
  const isMissingInBoth = (part: UnreadableKind) =>
    [first, second].every(({ unreadable: parts }) =>
      parts.some((other) => other.kind === part.kind && other.id === part.id && isMissing(other)),
    );
  const unreadable = [...first.unreadable, ...second.unreadable].filter(
    (part) => !isMissingInBoth(part),
  );
  const changes = Array.from(keys, (key) => {
    const { kind, org, id } = parseRecordKey(key);
    const about = { kind, org: org === '' ? null : org, id };
    const isUnreadable = unreadable.some(
      (part) => part.kind === kind && part.org === about.org && (part.id ?? id) === id,
    );
    if (isUnreadable) return [];
    const inherits = partial && inheritsAccess(partial.records.get(key));
    const before = selectFields(kind, first.records.get(key), inherits);
    const after = selectFields(kind, second.records.get(key), inherits);
    if (before === undefined || after === undefined) {
      const sign = before ? ('-' as const) : ('+' as const);
      return [createChange({ sign, ...about, before: toShown(before), after: toShown(after) })];
    }
    const fieldsOf = partial ? (partial === first ? 'before' : 'after') : 'both';
    return diffRecords(before, after, { fieldsOf }).map((found) =>
      createChange({ sign: '~', ...about, ...found }),
    );
  });
  const problems = new Map(
    unreadable
      .map(({ problem, ...part }) => createChange({ sign: '?', ...part, reason: problem.message }))
      .map((change) => [JSON.stringify(change), change]),
  ).values();
  const position = ({ kind }: Change) => Object.keys(KIND_CLASSES).indexOf(kind);
  return [...changes.flat(), ...problems].toSorted((a, b) => position(a) - position(b));
}

/** Whether there are no such records, because advanced webhooks have never been enabled. */
export function isMissing({ kind, id, problem }: UnreadableKind): boolean {
  const isOfFeature = kind === 'endpoints' || id === ('advancedWebhooks' satisfies ConfigName);
  return isOfFeature && problem.failure === 'failed_precondition';
}

/**
 * Omits the fields that only the service sets, and those that are part of the key. The access type
 * of a folder that inherits it depends on the parent folder.
 */
function selectFields(
  kind: RecordKind,
  record: DeclaredRecord | undefined,
  inherits = inheritsAccess(record),
): DeclaredRecord | undefined {
  if (record === undefined) return undefined;
  const definition = findRecordKind(kind);
  const omitted: readonly string[] = [
    ...(definition?.identity ?? []),
    ...(definition?.serviceFields ?? []),
    ...(kind === 'folders' && inherits ? ['accessType'] : []),
  ];
  return Object.fromEntries(Object.entries(record).filter(([name]) => !omitted.includes(name)));
}

function inheritsAccess(record: DeclaredRecord | undefined): boolean {
  return record?.['inheritAccessFromParent'] === true;
}

/**
 * Compares all records of two exported states, including content that settings files do not
 * declare.
 */
export function compareStates(first: State, second: State): readonly Change[] {
  return [collectDeclaredRecords, collectContent].flatMap((collect) =>
    compareRecords(collect(first), collect(second)),
  );
}

function collectContent(state: State): ComparedRecords {
  const records: [string, DeclaredRecord][] = CONTENT_KINDS.flatMap((kind) => {
    const fields: readonly string[] = RECORD_KINDS[kind].identity;
    const isOfOrganization = fields[0] === 'organizationId';
    const names = isOfOrganization ? fields.slice(1) : fields;
    return state[kind].map((record: DeclaredRecord) => {
      const org = isOfOrganization ? String(record['organizationId']) : null;
      const id = names.map((name) => record[name] ?? '').join('/');
      return [createRecordKey(kind, org, id), record] satisfies [string, DeclaredRecord];
    });
  });
  return { records: new Map(records), isDeclared: true, unreadable: [] };
}
