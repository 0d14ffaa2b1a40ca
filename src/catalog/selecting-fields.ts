import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { ACCESS_ROLES } from './access-roles.ts';
import type { BulkFields } from './bulk-fields.ts';
import { findIntendedField, findSelectingField } from './intended-field.ts';

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

/**
 * Checks the records of a call, in which nobody is warned.
 * @param keep fields that are sent as the records' own
 * @throws SvcError `invalid_input` for a field that selects where records go
 */
export function rejectSelectingFields(
  fields: BulkFields,
  records: readonly unknown[],
  keep: readonly string[] = [],
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
  const renamed = usable.map(({ name, means }) => `'${name}' to '${means}'`).join(', ');
  const use = renamed === '' ? '' : `rename ${renamed}; `;
  const names = JSON.stringify(fields.map(({ name }) => name));
  return `${use}to send it as a field of the record, add keep: ${names}`;
}
