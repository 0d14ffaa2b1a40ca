import type * as z from 'zod';
import type { Operation } from './define.ts';
import type { FlagForm } from './fields.ts';
import { definition, elementOf, shapeOf, unwrap } from './introspect.ts';

/**
 * How the text of a flag becomes a value.
 * - `list` repeats; `map` repeats as key=value; `switches` too, with true or false as values; `json` is parsed.
 * - `time` is RFC 3339, a duration from now or an epoch, and is sent as seconds.
 * - `entry` is one object as key=value,key=value, or its first field alone; `entries` repeats.
 * - `changes` repeats as field=from:to.
 * - `content` is text, @file or `-`, and JSON where the type of the content asks for it.
 * - `secret` has no value on the command line: `--x-stdin` and `--x-file` say where it is.
 */
export type FlagKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'map'
  | 'switches'
  | 'json'
  | 'secret'
  | NonNullable<FlagForm['as']>;

/** A command-line flag that stands for one field of an operation's input. */
export interface Flag {
  readonly name: string;
  /** Where its value goes: from the top of `data`, or of the record when `ofRecord`. */
  readonly path: readonly string[];
  readonly kind: FlagKind;
  readonly describes: string;
  readonly required: boolean;
  readonly ofRecord: boolean;
  readonly choices?: readonly string[];
  /** The flag that says no, where it is not `--no-<name>`. */
  readonly off?: string;
  /** The keys of an `entry`, as flags of their own. */
  readonly keys?: readonly Flag[];
}

const OWN_NAMES = new Map([
  ['organizationId', 'org'],
  ['organizationUserGroupId', 'group'],
  ['parentFolderId', 'parent'],
]);

/** `newDocumentId` is `new-document`, `documentIds` (repeated) is `document`. */
export function flagName(field: string): string {
  const named = OWN_NAMES.get(field) ?? field.replace(/(?<=.)Ids?$/, '').replace(/(?<=Type|channel)s$/, '');
  return named.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The flags of an operation: one for each field of its input, and of one record where it takes records. */
export function flagsOf({ input, bulk, argument }: Operation): readonly Flag[] {
  return Object.entries(input.shape).flatMap(([field, schema]) => {
    if (field === argument?.field) return [];
    if (field === bulk?.field && !bulk.bareIds) return fieldFlags(elementOf(schema), [], true);
    return flagsOfField(field, schema, [], false);
  });
}

function fieldFlags(schema: z.ZodType, path: readonly string[], ofRecord: boolean): Flag[] {
  return Object.entries(shapeOf(schema)).flatMap(([field, inner]) => flagsOfField(field, inner, path, ofRecord));
}

function flagsOfField(field: string, declared: z.ZodType, parents: readonly string[], ofRecord: boolean): Flag[] {
  const { schema, required, meta } = unwrap(declared);
  const { flag, off, as } = meta as FlagForm;
  const path = [...parents, field];
  const { type, entries } = definition(schema);
  if (type === 'object' && !as) {
    return fieldFlags(schema, path, ofRecord).map((inner) => ({ ...inner, required: required && inner.required }));
  }
  return [
    {
      name: flag ?? flagName(field),
      path,
      kind: as ?? (meta['secret'] ? 'secret' : kindOf(schema)),
      describes: String(meta['description'] ?? ''),
      required,
      ofRecord,
      ...(entries && { choices: Object.values(entries) }),
      ...(off && { off }),
      ...keysOf(schema, as),
    },
  ];
}

function keysOf(schema: z.ZodType, as: FlagForm['as']): Pick<Flag, 'keys'> {
  if (as === 'entry') return { keys: fieldFlags(schema, [], false) };
  return as === 'entries' ? { keys: fieldFlags(elementOf(schema), [], false) } : {};
}

function kindOf(schema: z.ZodType): FlagKind {
  const { type, valueType } = definition(schema);
  switch (type) {
    case 'string':
    case 'enum':
    case 'union':
      return 'text';
    case 'number':
    case 'boolean':
      return type;
    case 'record':
      return valueType && definition(valueType).type === 'boolean' ? 'switches' : 'map';
    case 'array':
      return kindOf(unwrap(elementOf(schema)).schema) === 'text' ? 'list' : 'json';
    default:
      return 'json';
  }
}
