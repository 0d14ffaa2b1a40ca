import { shapeOf } from '../../catalog/introspect.ts';
import type { ReadableKind } from '../../catalog/record-kinds.ts';
import { settingsFields } from '../../catalog/settings.ts';
import { findIdProblem } from '../../kernel/id-text.ts';
import { isObject } from '../../kernel/json.ts';
import { isUnset } from '../differ.ts';
import { isDeclarableUid } from '../file/identity.ts';
import { CONFIGS, type ConfigName } from '../kinds.ts';
import type { LiveRecord, LiveRecords } from '../live-records.ts';

export type PulledList = Exclude<ReadableKind, 'config'>;

export interface PulledRecord {
  /**
   * Fields to compare with a declared record: undefined if unset, a reference for a secret. Others
   * cannot be read.
   */
  readonly fields: LiveRecord;
  /** The record to add to a file that does not declare it. */
  readonly added: LiveRecord;
  readonly secretVariable?: string;
}

const ENDPOINT_FIELDS = [
  'uid',
  'id',
  'url',
  'description',
  'filterTypes',
  'channels',
  'disabled',
  'rateLimit',
];

export function toPulledRecords(
  live: LiveRecords,
): ReadonlyMap<PulledList, readonly PulledRecord[]> {
  const each = (
    byOrganization: LiveRecords['folders'],
    convert: (org: string, record: LiveRecord) => PulledRecord,
  ) =>
    [...byOrganization].flatMap(([org, { records }]) =>
      [...(records?.values() ?? [])].map((one) => convert(org, one)).filter(isDeclarable),
    );
  return new Map<PulledList, readonly PulledRecord[]>([
    ['folders', each(live.folders, toFolder)],
    ['documents', each(live.documents, toDocument)],
    ['agents', [...(live.agents.records?.values() ?? [])].map(toAgent)],
    // The service lists the newest endpoint first.
    ['endpoints', (live.endpoints?.records ?? []).map(toEndpoint).toReversed()],
  ]);
}

/** Whether a settings file accepts the IDs of a folder or document. */
function isDeclarable({ fields: { folderId, documentId, parentFolderId } }: PulledRecord): boolean {
  return [folderId, documentId, parentFolderId].every(
    (id) => typeof id !== 'string' || findIdProblem(id) === undefined,
  );
}

/** Lists the IDs of live folders and documents that a settings file does not accept. */
export function findUndeclarableIds({ folders, documents }: LiveRecords): readonly string[] {
  const readings = [...folders.values(), ...documents.values()];
  const ids = readings.flatMap(({ records }) => [...(records?.keys() ?? [])]);
  return ids.filter((id) => findIdProblem(id) !== undefined);
}

export function toPulledConfigs(live: LiveRecords): ReadonlyMap<ConfigName, PulledRecord> {
  const readings = [...live.configs].flatMap(([name, { records }]) =>
    records ? [[name, records] as const] : [],
  );
  return new Map(readings.map(([name, record]) => [name, toConfig(name, record)]));
}

function toConfig(name: ConfigName, record: LiveRecord): PulledRecord {
  const { nested, secret } = CONFIGS[name];
  const schemas = shapeOf(settingsFields.config.def.innerType.shape[name]);
  const fields = pickFields(record, Object.keys(schemas));
  const inner = nested && schemas[nested];
  if (!inner) return { fields, added: withoutUnset(fields) };
  const stored = isObject(record[nested]) ? record[nested] : {};
  const innerFields: Record<string, unknown> = pickFields(stored, Object.keys(shapeOf(inner)));
  const secretVariable = isUnset(stored[secret]) ? undefined : nameSecretVariable(name, secret);
  if (secretVariable !== undefined) innerFields[secret] = { env: secretVariable };
  const all = { ...fields, [nested]: innerFields };
  const valid = Object.entries(innerFields).filter(
    ([field, value]) => shapeOf(inner)[field]?.safeParse(value).success,
  );
  const added = withoutUnset({ ...all, [nested]: Object.fromEntries(valid) });
  return { fields: all, added, ...(secretVariable !== undefined && { secretVariable }) };
}

function nameSecretVariable(config: ConfigName, field: string): string {
  return `SVC_${config}_${field}`.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

function toAgent(record: LiveRecord): PulledRecord {
  const { apiKey: _key, authToken: _token, ...added } = withoutUnset(record);
  return { fields: record, added };
}

function toEndpoint(record: LiveRecord): PulledRecord {
  const fields = pickFields(record, ENDPOINT_FIELDS);
  const { id, uid, ...others } = fields;
  const identity = isDeclarableUid(uid) ? { uid } : { id };
  // An empty description is a value of its own: a created endpoint gets it, too.
  const set = Object.entries(others).filter(([, value]) => value !== undefined);
  return { fields, added: { ...identity, ...Object.fromEntries(set) } };
}

function toFolder(organizationId: string, record: LiveRecord): PulledRecord {
  const {
    folderId,
    folderName,
    parentFolderId = 'root',
    accessType,
    inheritAccessFromParent,
  } = record;
  const own = { accessType: inheritAccessFromParent === true ? undefined : accessType };
  const names = { organizationId, folderId, folderName };
  const parent = parentFolderId === 'root' ? {} : { parentFolderId };
  return {
    fields: { ...names, parentFolderId, ...own, inheritAccessFromParent },
    added: withoutUnset({ ...names, ...parent, ...own }),
  };
}

function toDocument(organizationId: string, record: LiveRecord): PulledRecord {
  const { documentId = record['id'], documentName, disabled, accessType, folderId } = record;
  const fields = { organizationId, documentId, documentName, disabled, accessType };
  return {
    fields: { ...fields, ...(folderId !== undefined && { folderId }) },
    added: withoutUnset({ organizationId, documentId, documentName }),
  };
}

function pickFields(record: LiveRecord, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? undefined]));
}

/** Removes the fields that are not set. Switches that are off are kept. */
function withoutUnset(record: LiveRecord): LiveRecord {
  const set = Object.entries(record).flatMap(([name, value]) => {
    const inner = isObject(value) ? withoutUnset(value) : value;
    const isEmpty = isObject(inner)
      ? Object.keys(inner).length === 0
      : inner !== false && isUnset(inner);
    return isEmpty ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(set);
}
