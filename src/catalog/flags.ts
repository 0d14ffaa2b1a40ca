import type * as z from 'zod/mini';
import type { Operation } from './define.ts';
import type { FlagOptions } from './fields.ts';
import { definitionOf, elementOf, shapeOf, unwrap } from './introspect.ts';

/**
 * How the text of a flag is parsed.
 * - `list` is repeatable; `map` is repeatable as key=value; `switches` is repeatable as key=true or
 * key=false; `json` is JSON.
 * - `time` is RFC 3339, a duration from now, or Unix time, and is sent in seconds.
 * - `entry` is one object as key=value,key=value, or just the value of its first field; `entries`
 * is a repeatable `entry`.
 * - `changes` is repeatable as field=from:to.
 * - `switch` is a boolean that a flag can only set to true.
 * - `content` is text, @file, or `-`; JSON if the content type requires it.
 * - `secret` is never a value on the command line: `--x-stdin` and `--x-file` read it.
 */
export type FlagKind = ValueKind | NonNullable<FlagOptions['as']>;
type ValueKind = 'text' | 'number' | 'boolean' | 'list' | 'map' | 'switches' | 'json' | 'secret';

export interface Flag {
  readonly name: string;
  /** Path of the value in `data`, or in the record if `ofRecord`. */
  readonly path: readonly string[];
  readonly kind: FlagKind;
  /** Two words at least. */
  readonly description: `${string} ${string}`;
  readonly required: boolean;
  readonly ofRecord: boolean;
  readonly choices?: readonly string[];
  readonly off?: string;
  /** Name of the value in help, such as `duration` (default: follows from the kind). */
  readonly value?: string;
  readonly implies?: Readonly<Record<string, unknown>>;
  readonly keys?: readonly Flag[];
}

const SHORT_NAMES = new Map(
  Object.entries({
    organizationId: 'org',
    organizationUserGroupId: 'group',
    parentFolderId: 'parent',
  }),
);

/**
 * How messages name an input: by its flag on a command line, or by its field in a program or a tool
 * call.
 */
export type InputNaming = 'flags' | 'fields';

/**
 * Derives a flag's name: `newDocumentId` becomes `new-document`, and `documentIds` (repeatable)
 * becomes `document`.
 */
export function flagName(field: string): string {
  const name =
    SHORT_NAMES.get(field) ?? field.replace(/(?<=.)Ids?$/, '').replace(/(?<=Type|channel)s$/, '');
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/**
 * Derives an operation's flags: one per input field, and per field of a record if the operation
 * accepts records.
 */
export function deriveFlags({
  input,
  bulk,
  argument,
}: Pick<Operation, 'input' | 'bulk' | 'argument'>): readonly Flag[] {
  const flags = Object.entries(shapeOf(input)).flatMap(([field, schema]) => {
    if (field === argument?.field) return [];
    if (field === bulk?.field && !bulk.bareIds)
      return createObjectFlags(elementOf(schema), [], true);
    return createFieldFlags(field, schema, [], false);
  });
  return flags.map((flag) =>
    flag.required && findImplyingFlag(flags, flag.path) ? { ...flag, required: false } : flag,
  );
}

/**
 * Finds a flag that implies the value of a top-level field, so that the field's own flag is
 * optional.
 */
export function findImplyingFlag(
  flags: readonly Flag[],
  path: readonly PropertyKey[],
): Flag | undefined {
  const [field, ...rest] = path;
  if (field === undefined || rest.length > 0) return undefined;
  return flags.find(({ implies }) => implies && Object.hasOwn(implies, field));
}

/** Finds the flag that sets a top-level field of the call, not of its records. */
export function findSharedFlag(flags: readonly Flag[], field: string): Flag | undefined {
  return flags.find(({ path, ofRecord }) => !ofRecord && path.length === 1 && path[0] === field);
}

function createObjectFlags(
  schema: z.ZodMiniType,
  path: readonly string[],
  ofRecord: boolean,
): Flag[] {
  return Object.entries(shapeOf(schema)).flatMap(([field, inner]) =>
    createFieldFlags(field, inner, path, ofRecord),
  );
}

function createFieldFlags(
  field: string,
  declared: z.ZodMiniType,
  parents: readonly string[],
  ofRecord: boolean,
): Flag[] {
  const { schema, required, meta } = unwrap(declared);
  const { flag, off, as, value, implies } = meta as FlagOptions;
  const path = [...parents, field];
  const { type, entries } = definitionOf(schema);
  // Only one value is possible.
  if (type === 'literal') return [];
  if (type === 'object' && !as)
    return createObjectFlags(schema, path, ofRecord).map((inner) => ({
      ...inner,
      required: required && inner.required,
    }));
  return [
    {
      name: flag ?? flagName(field),
      path,
      kind: as ?? (meta['secret'] ? 'secret' : flagKindOf(schema)),
      description: requireDescription(field, meta['description']),
      required,
      ofRecord,
      ...(entries && { choices: Object.values(entries) }),
      ...(off && { off }),
      ...(value && { value }),
      ...(implies && { implies }),
      ...keysOf(schema, as),
    },
  ];
}

/** @throws TypeError, which fails the build, if a field has no description */
function requireDescription(field: string, description: unknown): Flag['description'] {
  const [first, ...others] = String(description ?? '').split(' ');
  if (!first || others.length === 0) throw new TypeError(`the field ${field} has no description`);
  return `${first} ${others.join(' ')}`;
}

function keysOf(schema: z.ZodMiniType, as: FlagOptions['as']): Pick<Flag, 'keys'> {
  if (as === 'entry') return { keys: createObjectFlags(schema, [], false) };
  return as === 'entries' ? { keys: createObjectFlags(elementOf(schema), [], false) } : {};
}

function flagKindOf(schema: z.ZodMiniType): FlagKind {
  const { type, valueType } = definitionOf(schema);
  // The schema checks the text of a `custom` value.
  if (['string', 'enum', 'union', 'custom'].includes(type)) return 'text';
  if (type === 'number' || type === 'boolean') return type;
  if (type === 'record')
    return valueType && definitionOf(valueType).type === 'boolean' ? 'switches' : 'map';
  return type === 'array' && flagKindOf(unwrap(elementOf(schema)).schema) === 'text'
    ? 'list'
    : 'json';
}
