import type * as z from 'zod';
import type { Operation } from './define.ts';

/** How the text of a flag becomes a value: `list` repeats, `map` repeats as key=value, `json` is parsed. */
export type FlagKind = 'text' | 'number' | 'boolean' | 'list' | 'map' | 'json';

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
}

const OWN_NAMES = new Map([
  ['organizationId', 'org'],
  ['organizationUserGroupId', 'group'],
  ['parentFolderId', 'parent'],
]);

/** `newDocumentId` is `new-document`, `documentIds` (repeated) is `document`. */
export function flagName(field: string): string {
  const named = OWN_NAMES.get(field) ?? field.replace(/(?<=.)Ids?$/, '');
  return named.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The flags of an operation: one for each field of its input, and of one record where it takes records. */
export function flagsOf(operation: Operation): readonly Flag[] {
  const flags: Flag[] = [];
  for (const [field, schema] of Object.entries(operation.input.shape)) {
    if (field === operation.bulk?.field) flags.push(...fieldFlags(elementOf(schema), [], true));
    else flags.push(...flagsOfField(field, schema, [], false));
  }
  return flags;
}

function fieldFlags(schema: z.ZodType, path: readonly string[], ofRecord: boolean): Flag[] {
  return Object.entries(shapeOf(schema)).flatMap(([field, inner]) => flagsOfField(field, inner, path, ofRecord));
}

function flagsOfField(field: string, declared: z.ZodType, parents: readonly string[], ofRecord: boolean): Flag[] {
  const { schema, required, describes, name } = unwrap(declared);
  const path = [...parents, field];
  if (definition(schema).type === 'object') return fieldFlags(schema, path, ofRecord);
  const choices = choicesOf(schema);
  return [
    {
      name: name ?? flagName(field),
      path,
      kind: kindOf(schema),
      describes: describes ?? '',
      required,
      ofRecord,
      ...(choices && { choices }),
    },
  ];
}

function kindOf(schema: z.ZodType): FlagKind {
  const { type } = definition(schema);
  switch (type) {
    case 'string':
    case 'enum':
      return 'text';
    case 'number':
    case 'boolean':
      return type;
    case 'record':
      return 'map';
    case 'array':
      return kindOf(unwrap(elementOf(schema)).schema) === 'text' ? 'list' : 'json';
    default:
      return 'json';
  }
}

function choicesOf(schema: z.ZodType): readonly string[] | undefined {
  const { entries } = definition(schema);
  return entries && Object.values(entries);
}

/** The parts of a schema's definition that flags are read from. zod types them by class, so the union is spelled out here. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, string>>;
}

function definition(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}

/** The schema below `optional` and `default`, with the description and flag name given at any layer. */
function unwrap(declared: z.ZodType): { schema: z.ZodType; required: boolean; describes?: string; name?: string } {
  let schema = declared;
  let required = true;
  let meta: Record<string, unknown> = {};
  for (;;) {
    meta = { ...schema.meta(), ...meta };
    const { type, innerType } = definition(schema);
    if (!innerType) break;
    if (type === 'optional' || type === 'default') required = false;
    schema = innerType;
  }
  const { description, flag } = meta;
  return {
    schema,
    required,
    ...(typeof description === 'string' && { describes: description }),
    ...(typeof flag === 'string' && { name: flag }),
  };
}

function elementOf(schema: z.ZodType): z.ZodType {
  const { element } = definition(unwrap(schema).schema);
  if (!element) throw new TypeError('not a list in the catalog');
  return element;
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  const { shape } = definition(unwrap(schema).schema);
  if (!shape) throw new TypeError('not an object in the catalog');
  return shape;
}
