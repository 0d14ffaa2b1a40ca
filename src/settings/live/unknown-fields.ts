import { shapeOf } from '../../catalog/introspect.ts';
import { RECORD_KINDS, type ReadableKind } from '../../catalog/record-kinds.ts';
import { configSchemas, recordSchemas } from '../../catalog/record-schemas.ts';
import { isObject } from '../../kernel/json.ts';
import { isUnset } from '../differ.ts';
import { CONFIGS, type ConfigName } from '../kinds.ts';
import type { LiveRecord, LiveRecords } from '../live-records.ts';

/** Kinds of records in lists whose fields are known. Settings files accept every field of agents. */
const LISTS = ['folders', 'documents', 'endpoints'] as const satisfies readonly ReadableKind[];

/**
 * Lists the fields that a service returned and that a settings file does not have, once for each
 * kind: `folders.color`. Unset fields are omitted.
 */
export function findUnknownFields(live: LiveRecords): readonly string[] {
  const inLists = LISTS.flatMap((kind) =>
    listRecords(live, kind).flatMap((record) =>
      namesOf(record)
        .filter((name) => !isKnownField(kind, null, [name]))
        .map((name) => `${kind}.${name}`),
    ),
  );
  const inConfigs = [...live.configs].flatMap(([config, { records = {} }]) =>
    pathsOf(config, records)
      .filter((path) => !isKnownField('config', config, path))
      .map((path) => ['config', config, ...path].join('.')),
  );
  return [...new Set([...inConfigs, ...inLists])];
}

/**
 * Whether a settings file, or svc itself, knows a field of a live record.
 * @param id the name of a configuration; ignored for other kinds
 * @param path only the first two names matter
 */
export function isKnownField(kind: string, id: string | null, path: readonly string[]): boolean {
  const [name = '', inner] = path;
  if (kind === 'config') {
    if (id === null || !Object.hasOwn(configSchemas, id)) return true;
    const known = shapeOf(configSchemas[id as ConfigName]);
    if (!Object.hasOwn(known, name)) return false;
    const nested = name === CONFIGS[id as ConfigName].nested ? known[name] : undefined;
    return !nested || inner === undefined || Object.hasOwn(shapeOf(nested), inner);
  }
  const list = LISTS.find((one) => one === kind);
  if (!list) return true;
  const serviceFields: readonly string[] = RECORD_KINDS[list].serviceFields;
  return (
    Object.hasOwn(shapeOf(recordSchemas[list]), name) ||
    serviceFields.includes(name) ||
    name === 'subFolders'
  );
}

function listRecords(live: LiveRecords, kind: (typeof LISTS)[number]): readonly LiveRecord[] {
  if (kind === 'endpoints') return live.endpoints?.records ?? [];
  return [...live[kind].values()].flatMap(({ records }) => [...(records?.values() ?? [])]);
}

/** Returns the paths of the fields of a configuration, and of its nested settings. */
function pathsOf(config: ConfigName, record: LiveRecord): readonly (readonly string[])[] {
  const { nested } = CONFIGS[config];
  const inner = nested && record[nested];
  return [
    ...namesOf(record).map((name) => [name]),
    ...(nested && isObject(inner) ? namesOf(inner).map((name) => [nested, name]) : []),
  ];
}

function namesOf(record: object): readonly string[] {
  return Object.entries(record).flatMap(([name, value]) => (isUnset(value) ? [] : [name]));
}
