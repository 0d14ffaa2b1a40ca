import type * as z from 'zod/mini';
import type { InputFormat } from '../catalog/bulk-options.ts';
import { definitionOf, shapeOf, unwrap } from '../catalog/introspect.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { findJsonProblem, findNumberProblem } from '../kernel/json-problem.ts';
import type { RecordProblem } from './record-problem.ts';
import { JSON_NUMBER, PlainScalar, YAML_BOOLEAN } from './source/plain-scalar.ts';

type ReportProblem = (message: string) => void;
/**
 * Converts a value to the type of its field. Leaves an invalid value unchanged, so that the schema
 * rejects it.
 */
type Convert = (value: unknown, report: ReportProblem) => unknown;

interface FieldConversion {
  readonly convert: Convert | undefined;
  /** Whether the field can be null. Otherwise a null field is treated as absent. */
  readonly allowsNull: boolean;
}

/** How a format represents scalars: JSON has types, CSV has only text, and YAML has both. */
type ScalarTyping = 'typed' | 'text' | 'plain';

const SCALAR_TYPING: Readonly<Record<InputFormat, ScalarTyping>> = {
  json: 'typed',
  ndjson: 'typed',
  csv: 'text',
  yaml: 'plain',
  xlsx: 'text',
};

/**
 * Creates a function that converts a record's fields to the types in its schema, so that a record
 * is the same in every format. The function removes null fields. For formats without types, it
 * converts numbers, `true`, and `false` as the schema requires, and parses JSON text if the schema
 * requires an object or a list. Other values, such as IDs, stay text.
 * @param texts text fields that the schema does not have
 * @returns a function that returns the converted record, or the value itself if nothing changed,
 * and collects problems
 */
export function createRecordConverter(
  schema: z.ZodMiniType,
  format: InputFormat,
  texts: readonly string[] = [],
): (value: unknown, problems: RecordProblem[]) => unknown {
  const scalars = SCALAR_TYPING[format];
  const fields = new Map(fieldConversions(shapeOf(schema), scalars));
  for (const name of texts)
    fields.set(name, { convert: scalars === 'plain' ? toText : undefined, allowsNull: false });
  const convertOther = scalars === 'plain' ? toOwnType : undefined;
  return (value, problems) => {
    if (value instanceof PlainScalar) return value.text;
    return mapFields(value, (name, inner) => {
      if (inner === null) return undefined;
      // Most values need no look at their field.
      if (scalars === 'typed' && typeof inner === 'string') return inner;
      const field = fields.get(name);
      const convert = field ? field.convert : convertOther;
      return convert ? convert(inner, (message) => problems.push({ field: name, message })) : inner;
    });
  };
}

function fieldConversions(
  shape: Readonly<Record<string, z.ZodMiniType>>,
  scalars: ScalarTyping,
): ReadonlyMap<string, FieldConversion> {
  return new Map(
    Object.entries(shape).map(([name, schema]) => [
      name,
      { convert: createConverter(schema, scalars), allowsNull: allowsNull(schema) },
    ]),
  );
}

function allowsNull(schema: z.ZodMiniType): boolean {
  return schema.safeParse(null).success;
}

function createConverter(declared: z.ZodMiniType, scalars: ScalarTyping): Convert | undefined {
  const { schema } = unwrap(declared);
  const { type, element, valueType, shape } = definitionOf(schema);
  const plain = scalars === 'plain' ? toOwnType : undefined;
  switch (type) {
    case 'string':
    case 'enum':
    case 'literal':
      return scalars === 'plain' ? toText : undefined;
    case 'boolean':
      return scalars === 'typed' ? undefined : toBoolean;
    case 'number':
      return scalars === 'typed' ? undefined : toNumber;
    case 'union':
      return scalars === 'plain' ? createUnionConverter(schema) : undefined;
    case 'object':
      return createStructureConverter(scalars, (inner) =>
        createObjectConverter(fieldConversions(shape ?? {}, inner), inner),
      );
    case 'record':
      return createStructureConverter(scalars, (inner) => createEntryConverter(valueType, inner));
    case 'array':
      return createStructureConverter(scalars, (inner) =>
        createItemConverter(element && createConverter(element, inner)),
      );
    default:
      return plain;
  }
}

/** Converts objects and lists. Parses text in place of a structure as JSON. */
function createStructureConverter(
  scalars: ScalarTyping,
  converter: (scalars: ScalarTyping) => Convert,
): Convert {
  const within = converter(scalars);
  if (scalars === 'typed') return within;
  const parsed = converter('typed');
  return (value, report) => {
    if (value instanceof PlainScalar) return toOwnType(value, report);
    return typeof value === 'string'
      ? convertJsonText(value, parsed, report)
      : within(value, report);
  };
}

function convertJsonText(text: string, convert: Convert, report: ReportProblem): unknown {
  const value = tryParseJson(text);
  if (value === undefined) return text;
  const problem = findJsonProblem(value, text);
  if (!problem) return convert(value, report);
  report(problem.problem);
  return text;
}

function createObjectConverter(
  fields: ReadonlyMap<string, FieldConversion>,
  scalars: ScalarTyping,
): Convert {
  const other = { convert: scalars === 'plain' ? toOwnType : undefined, allowsNull: true };
  return createFieldsConverter((name) => fields.get(name) ?? other);
}

function createEntryConverter(
  valueType: z.ZodMiniType | undefined,
  scalars: ScalarTyping,
): Convert {
  const convert = valueType && createConverter(valueType, scalars);
  const field = { convert, allowsNull: valueType === undefined || allowsNull(valueType) };
  return createFieldsConverter(() => field);
}

function createFieldsConverter(conversionOf: (name: string) => FieldConversion): Convert {
  return (value, report) =>
    mapFields(value, (name, inner) => {
      const { convert, allowsNull } = conversionOf(name);
      if (inner === null) return allowsNull ? null : undefined;
      return convert ? convert(inner, report) : inner;
    });
}

function createItemConverter(convert: Convert | undefined): Convert {
  return (value, report) => {
    if (!convert || !Array.isArray(value)) return value;
    const items = value.map((inner: unknown) => convert(inner, report));
    return items.every((item, at) => item === value[at]) ? value : items;
  };
}

function toText(value: unknown): unknown {
  return value instanceof PlainScalar ? value.text : value;
}

function toBoolean(value: unknown, report: ReportProblem): unknown {
  if (value instanceof PlainScalar) return toOwnType(value, report);
  // Spreadsheets and scripts write them in other cases.
  if (typeof value !== 'string' || !BOOLEAN.test(value)) return value;
  return value.length === 'true'.length;
}

const BOOLEAN = /^(?:true|false)$/i;

function toNumber(value: unknown, report: ReportProblem): unknown {
  if (value instanceof PlainScalar) return toOwnType(value, report);
  return typeof value === 'string' && JSON_NUMBER.test(value) ? parseNumber(value, report) : value;
}

/**
 * Converts a field with several allowed types: a scalar becomes text only if its own type is not
 * allowed.
 */
function createUnionConverter(schema: z.ZodMiniType): Convert {
  return (value, report) => {
    if (!(value instanceof PlainScalar)) return toOwnType(value, report);
    return schema.safeParse(value.value).success ? toOwnType(value, report) : value.text;
  };
}

function toOwnType(value: unknown, report: ReportProblem): unknown {
  if (value instanceof PlainScalar)
    return YAML_BOOLEAN.test(value.text) ? value.value : parseNumber(value.text, report);
  if (Array.isArray(value)) return value.map((inner) => toOwnType(inner, report));
  return mapFields(value, (_, inner) => toOwnType(inner, report));
}

/** Parses a number; returns the text if the number would lose precision. */
function parseNumber(text: string, report: ReportProblem): number | string {
  const problem = findNumberProblem(text);
  if (!problem) return Number(text);
  report(`${problem.problem}: ${problem.hint}`);
  return text;
}

/**
 * Maps the fields of an object, and drops fields that become undefined. Returns the object itself
 * if nothing changes.
 */
function mapFields(value: unknown, change: (name: string, inner: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const inner = value[name];
    const changed = change(name, inner);
    if (changed === inner) continue;
    copy ??= { ...value };
    if (changed === undefined) delete copy[name];
    else copy[name] = changed;
  }
  return copy ?? value;
}
