import { findRecordKind } from '../../catalog/record-kinds.ts';
import {
  fieldOf,
  formatPlace,
  type ListTree,
  type MapTree,
  type Problems,
  type Tree,
  toValue,
  withFields,
} from './tree.ts';

/** Identifying fields of lists that do not use those of a record kind. */
const IDENTITIES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  endpoints: [['uid'], ['id']],
  memberships: [['type', 'id']],
};

/**
 * Returns alternative sets of fields that identify the records under a field: a record matches
 * another by the first set that both have. `undefined` if the list has no such records.
 */
export function identitiesOf(name: string): readonly (readonly string[])[] | undefined {
  if (Object.hasOwn(IDENTITIES, name)) return IDENTITIES[name];
  const { identity = [] } = findRecordKind(name) ?? {};
  return identity.length > 0 ? [identity] : undefined;
}

/**
 * Returns the values of identifying fields as one text; `undefined` if the record does not have all
 * of them.
 */
function identityOf(record: unknown, fields: readonly string[]): string | undefined {
  const values = fields.map((name): unknown => Object(record)[name]);
  return values.some((value) => value === undefined || typeof value === 'object')
    ? undefined
    : JSON.stringify(values);
}

export function createMatcher<Entry>(
  name: string,
  entries: readonly Entry[],
  recordOf: (entry: Entry) => unknown,
): (record: unknown) => Entry | undefined {
  const indexes = (identitiesOf(name) ?? []).map((fields) => ({
    fields,
    known: new Map(entries.map((entry) => [identityOf(recordOf(entry), fields), entry] as const)),
  }));
  return (record) => {
    for (const { fields, known } of indexes) {
      const identity = identityOf(record, fields);
      const match = identity === undefined ? undefined : known.get(identity);
      if (match) return match;
    }
    return undefined;
  };
}

export function withStandardNames(tree: MapTree): MapTree {
  return withFields(tree, (inner, name) => {
    const { alias } = findRecordKind(name) ?? {};
    if (!alias || inner.kind !== 'list') return inner;
    return { ...inner, items: inner.items.map((item) => renameField(item, alias)) };
  });
}

function renameField(record: Tree, [other, field]: readonly [string, string]): Tree {
  if (record.kind !== 'map' || !record.fields.has(other) || record.fields.has(field)) return record;
  const fields = [...record.fields].map(
    ([name, inner]) => [name === other ? field : name, inner] as const,
  );
  return { ...record, fields: new Map(fields) };
}

export function findDuplicates(tree: MapTree, problems: Problems, path = ''): void {
  for (const [name, { tree: list }] of tree.fields) {
    if (list.kind !== 'list') continue;
    for (const fields of identitiesOf(name) ?? [])
      findDuplicatesIn(list, fields, problems, `${path}${name}`);
    if (name !== 'users') continue;
    for (const [index, record] of list.items.entries())
      if (record.kind === 'map') findDuplicates(record, problems, `users[${index}].`);
  }
}

function findDuplicatesIn(
  list: ListTree,
  fields: readonly string[],
  problems: Problems,
  path: string,
): void {
  const seen = new Map<string, Tree>();
  for (const [index, record] of list.items.entries()) {
    const identity = identityOf(toValue(record), fields);
    const first = identity === undefined ? undefined : seen.get(identity);
    const name = fields.at(-1) ?? '';
    const field = fieldOf(record, name)?.tree;
    if (first && field?.kind === 'scalar') {
      const message = `'${field.value}' is already declared at ${formatPlace(first.place)}`;
      problems.add(field.place, message, { path: `${path}[${index}].${name}` });
    } else if (identity !== undefined) seen.set(identity, record);
  }
}

/**
 * Returns the stack that owns an endpoint with a uid: the part before the only dot. An endpoint
 * whose uid has no dot, several, or an empty part belongs to no stack.
 */
export function findOwningStack(uid: unknown): string | undefined {
  return typeof uid === 'string' ? /^([^.]+)\.[^.]+$/.exec(uid)?.[1] : undefined;
}

/** Whether a settings file can declare a uid. Endpoints with another uid are declared by ID. */
export function isDeclarableUid(uid: unknown): boolean {
  return typeof uid === 'string' && (!uid.includes('.') || findOwningStack(uid) !== undefined);
}
