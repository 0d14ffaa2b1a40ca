import type * as z from 'zod/mini';
import { SvcError } from '../kernel/errors.ts';
import { formatFieldPath } from '../kernel/field-path.ts';
import { isObject } from '../kernel/json.ts';
import { ACCESS_ROLES } from './access-roles.ts';
import { type BulkFields, bulkFieldsOf } from './bulk-fields.ts';
import type { Operation } from './define.ts';
import { findIntendedField, findSelectingField } from './intended-field.ts';
import { definitionOf } from './introspect.ts';

type KnownFields = Pick<BulkFields, 'id' | 'noun' | 'knownFields' | 'targetFields' | 'bareIds'>;

/**
 * A field that the operation does not know, and that probably means one that chooses where records
 * go, or the role of a user.
 */
export interface SelectingField {
  readonly name: string;
  /** The field that the name means. */
  readonly means: string;
  /** Whether renaming the field would make it that one. */
  readonly canRename: boolean;
}

/** Finds out whether an unknown field selects where records go. Fields that are not sent select nothing. */
export function describeSelectingField(
  name: string,
  value: unknown,
  { id, noun, knownFields, targetFields, bareIds }: KnownFields,
): SelectingField | undefined {
  const means = findSelectingField(name);
  if (means === undefined || findIntendedField(name, [id]) !== undefined) return undefined;
  const targets = targetFields.map((target) => target.name);
  const isKnown = knownFields.includes(means) || targets.includes(means);
  // Users have a role, although the first version of their operations cannot set it.
  if (!isKnown && (bareIds || (means === 'accessRole' && noun !== 'user'))) return undefined;
  return { name, means, canRename: isKnown && !isObject(value) };
}

export function describeSelection({ name, means }: SelectingField): string {
  return name === means
    ? `'${name}' is not a field of these records`
    : `the field '${name}' looks like '${means}'`;
}

/** Finds the fields of a record that select where it goes. A role is one only if its value is. */
export function* findSelectingFields(
  record: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  fields: BulkFields,
): Generator<SelectingField> {
  for (const [name, value] of Object.entries(record)) {
    const field = known.has(name) ? undefined : describeSelectingField(name, value, fields);
    if (field && (field.means !== 'accessRole' || isAccessRole(value))) yield field;
  }
}

/** A field of a call, also in an object within it, that selects a target or a role. */
export interface SelectingCallField {
  readonly path: readonly PropertyKey[];
  readonly means: string;
  /** Whether the object has the field that the name means. */
  readonly canRename: boolean;
}

/**
 * Finds the unknown fields of a call that select where it goes, or a role. The records of a list are
 * checked on their own.
 */
export function findSelectingInCall(
  { input, bulk }: Pick<Operation, 'input' | 'bulk'>,
  value: unknown,
): readonly SelectingCallField[] {
  const inCall = isObject(value) ? value : {};
  const call = bulk?.field === undefined ? inCall : { ...inCall, [bulk.field]: undefined };
  return [...searchCall([input], call, [])];
}

function* searchCall(
  schemas: readonly z.ZodMiniType[],
  value: unknown,
  path: readonly PropertyKey[],
): Generator<SelectingCallField> {
  const definitions = schemas.flatMap(listAlternatives).map(definitionOf);
  if (Array.isArray(value)) {
    const elements = definitions.flatMap(({ element }) => element ?? []);
    for (const [at, item] of value.entries()) yield* searchCall(elements, item, [...path, at]);
    return;
  }
  const shapes = definitions.flatMap(({ shape }) => (shape ? [shape] : []));
  if (!isObject(value) || shapes.length === 0) return;
  const isKnown = (name: string) => shapes.some((shape) => Object.hasOwn(shape, name));
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const at = [...path, name];
    if (isKnown(name)) {
      const fields = shapes.flatMap((shape) => shape[name] ?? []);
      yield* searchCall(fields, inner, at);
      continue;
    }
    // An object such as a user may have fields of its own.
    const means = path.length === 0 ? findMeaning(name, inner) : findSelectingField(name);
    if (means === undefined) continue;
    const canRename = isKnown(means);
    if (path.length === 0 || canRename) yield { path: at, means, canRename };
  }
}

/** Returns the field that an unknown field of a call or record means, if it selects a target or a role. */
export function findMeaning(name: string, value: unknown): string | undefined {
  const means = findSelectingField(name);
  return means !== 'accessRole' || name === means || isAccessRole(value) ? means : undefined;
}

/** Lists the schemas that a value may match, without wrappers. */
function listAlternatives(schema: z.ZodMiniType): readonly z.ZodMiniType[] {
  const { innerType, options } = definitionOf(schema);
  if (innerType) return listAlternatives(innerType);
  return options ? options.flatMap(listAlternatives) : [schema];
}

/**
 * Checks a library call and its records. A library prints no warnings, so it refuses what a command
 * would only warn about.
 * @param keep fields that are sent as the caller's own
 * @throws SvcError `invalid_input` for a field that selects where records go, or a role
 */
export function rejectSelectingFields(
  operation: Operation,
  input: unknown,
  keep: readonly string[] = [],
): void {
  const isKept = ({ path }: SelectingCallField) => keep.includes(String(path.at(-1)));
  const inCall = findSelectingInCall(operation, input).find((field) => !isKept(field));
  if (inCall) throw createSelectingError(inCall);
  const list = operation.bulk?.field;
  const records: unknown = list === undefined ? undefined : Object(input)[list];
  if (Array.isArray(records)) rejectInRecords(bulkFieldsOf(operation), records, keep);
}

function createSelectingError({ path, means, canRename }: SelectingCallField): SvcError {
  const name = String(path.at(-1));
  const use = canRename ? `rename '${name}' to '${means}'` : `remove '${name}'`;
  return new SvcError('invalid_input', `unknown field '${formatFieldPath(path)}'`, {
    hint: `${use}; to send it as it is, add keep: ${JSON.stringify([name])}`,
  });
}

function rejectInRecords(
  fields: BulkFields,
  records: readonly unknown[],
  keep: readonly string[],
): void {
  const known = new Set([...fields.knownFields, ...keep]);
  const found = new Map<string, SelectingField>();
  for (const record of records) {
    if (!isObject(record)) continue;
    for (const field of findSelectingFields(record, known, fields)) found.set(field.name, field);
  }
  const [first] = found.values();
  if (!first) return;
  throw new SvcError('invalid_input', `${fields.listName}: ${describeSelection(first)}`, {
    hint: formatKeepHint(
      [...found.values()].filter(({ canRename }) => canRename),
      [...found.values()],
    ),
  });
}

/** Whether a value is an access role, in any case. */
export function isAccessRole(value: unknown): boolean {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return ACCESS_ROLES.some((role) => role === text);
}

/** Describes what to do about selecting fields in a program or a tool call. */
export function formatKeepHint(
  usable: readonly SelectingField[],
  fields: readonly SelectingField[],
): string {
  const isMisplaced = ({ name, means }: SelectingField) => name === means;
  const renamed = usable
    .filter((field) => !isMisplaced(field))
    .map(({ name, means }) => `'${name}' to '${means}'`);
  const moved = usable.filter(isMisplaced).map(({ name }) => `'${name}'`);
  const use = [
    ...(renamed.length > 0 ? [`rename ${renamed.join(', ')}; `] : []),
    ...(moved.length > 0 ? [`set ${moved.join(', ')} beside the records; `] : []),
  ].join('');
  const names = JSON.stringify(fields.map(({ name }) => name));
  return `${use}to send it as a field of the record, add keep: ${names}`;
}
