import type * as z from 'zod';
import { definition, shapeOf, unwrap } from '../catalog/introspect.ts';
import { isObject } from '../kernel/is-object.ts';
import { jsonProblem, numberProblem } from '../kernel/json-problem.ts';
import { jsonValue } from '../kernel/json-value.ts';
import type { Problem } from './problem.ts';
import { NUMBER, PlainScalar, SWITCH } from './source/plain-scalar.ts';
import type { InputFormat } from './source/record.ts';

/** Hears what is wrong with a value that no schema could refuse as clearly. */
type Report = (message: string) => void;

/** Gives a value the type that its field has. What is no such value stays, for the schema to refuse. */
type Convert = (value: unknown, report: Report) => unknown;

/** What becomes of a field of an object that a schema describes. */
interface Field {
  readonly convert: Convert | undefined;
  /** Null is a value of the field; otherwise a field that is null is absent. */
  readonly takesNull: boolean;
}

/** What the scalars of a format are: JSON has types, CSV nothing but text, and YAML both. */
type Scalars = 'typed' | 'text' | 'plain';

const SCALARS: Readonly<Record<InputFormat, Scalars>> = { json: 'typed', ndjson: 'typed', csv: 'text', yaml: 'plain' };

/**
 * Gives the fields of a record the types that its schema asks for, so that a record is the same in every format: a field
 * that is null is absent; in formats without types, numbers, `true` and `false` become what the schema asks for, and JSON
 * in the place of an object or a list is read. Everything else stays text, above all ids.
 * @param texts fields beside those of the schema that are text
 * @returns what makes the record from a value, the value itself where nothing changes, and adds problems of its fields
 */
export function recordConverter(
  schema: z.ZodType,
  format: InputFormat,
  texts: readonly string[] = [],
): (value: unknown, problems: Problem[]) => unknown {
  const scalars = SCALARS[format];
  const fields = new Map(fieldsOf(shapeOf(schema), scalars));
  for (const name of texts) fields.set(name, { convert: scalars === 'plain' ? asText : undefined, takesNull: false });
  const other = scalars === 'plain' ? typed : undefined;
  return (value, problems) => {
    if (value instanceof PlainScalar) return value.text;
    return eachField(value, (name, inner) => {
      if (inner === null) return undefined;
      const field = fields.get(name);
      const convert = field ? field.convert : other;
      return convert ? convert(inner, (message) => problems.push({ field: name, message })) : inner;
    });
  };
}

function fieldsOf(shape: Readonly<Record<string, z.ZodType>>, scalars: Scalars): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(shape).map(([name, schema]) => [
      name,
      { convert: converterOf(schema, scalars), takesNull: takesNull(schema) },
    ]),
  );
}

function takesNull(schema: z.ZodType): boolean {
  return schema.safeParse(null).success;
}

function converterOf(declared: z.ZodType, scalars: Scalars): Convert | undefined {
  const { schema } = unwrap(declared);
  const { type, element, valueType, shape } = definition(schema);
  const plain = scalars === 'plain' ? typed : undefined;
  switch (type) {
    case 'string':
    case 'enum':
    case 'literal':
      return scalars === 'plain' ? asText : undefined;
    case 'boolean':
      return scalars === 'typed' ? undefined : asSwitch;
    case 'number':
      return scalars === 'typed' ? undefined : asNumber;
    case 'union':
      return scalars === 'plain' ? fitting(schema) : undefined;
    case 'object':
      return structured(scalars, (inner) => objectConverter(fieldsOf(shape ?? {}, inner), inner));
    case 'record':
      return structured(scalars, (inner) => entryConverter(valueType, inner));
    case 'array':
      return structured(scalars, (inner) => itemConverter(element && converterOf(element, inner)));
    default:
      return plain;
  }
}

/** Of objects and lists: text in their place is JSON, whose values have their types. */
function structured(scalars: Scalars, converter: (scalars: Scalars) => Convert): Convert {
  const within = converter(scalars);
  if (scalars === 'typed') return within;
  const parsed = converter('typed');
  return (value, report) => {
    if (value instanceof PlainScalar) return typed(value, report);
    return typeof value === 'string' ? fromJson(value, parsed, report) : within(value, report);
  };
}

function fromJson(text: string, convert: Convert, report: Report): unknown {
  const value = jsonValue(text);
  if (value === undefined) return text;
  const wrong = jsonProblem(value, text);
  if (!wrong) return convert(value, report);
  report(wrong.problem);
  return text;
}

function objectConverter(fields: ReadonlyMap<string, Field>, scalars: Scalars): Convert {
  const other = scalars === 'plain' ? typed : undefined;
  return (value, report) =>
    eachField(value, (name, inner) => {
      const field = fields.get(name);
      if (inner === null) return field && !field.takesNull ? undefined : null;
      const convert = field ? field.convert : other;
      return convert ? convert(inner, report) : inner;
    });
}

function entryConverter(valueType: z.ZodType | undefined, scalars: Scalars): Convert {
  const convert = valueType && converterOf(valueType, scalars);
  const keepsNull = valueType === undefined || takesNull(valueType);
  return (value, report) =>
    eachField(value, (_, inner) => {
      if (inner === null) return keepsNull ? null : undefined;
      return convert ? convert(inner, report) : inner;
    });
}

function itemConverter(convert: Convert | undefined): Convert {
  return (value, report) => {
    if (!convert || !Array.isArray(value)) return value;
    const items = value.map((inner: unknown) => convert(inner, report));
    return items.every((item, at) => item === value[at]) ? value : items;
  };
}

function asText(value: unknown): unknown {
  return value instanceof PlainScalar ? value.text : value;
}

function asSwitch(value: unknown, report: Report): unknown {
  if (value instanceof PlainScalar) return typed(value, report);
  return value === 'true' ? true : value === 'false' ? false : value;
}

function asNumber(value: unknown, report: Report): unknown {
  if (value instanceof PlainScalar) return typed(value, report);
  return typeof value === 'string' && NUMBER.test(value) ? numberOf(value, report) : value;
}

/** Of a field that may have one of several types: text only where the scalar's own type is none of them. */
function fitting(schema: z.ZodType): Convert {
  return (value, report) => {
    if (!(value instanceof PlainScalar)) return typed(value, report);
    return schema.safeParse(value.value).success ? typed(value, report) : value.text;
  };
}

/** A value whose scalars have the types that they are written with, at any depth. */
function typed(value: unknown, report: Report): unknown {
  if (value instanceof PlainScalar) return SWITCH.test(value.text) ? value.value : numberOf(value.text, report);
  if (Array.isArray(value)) return value.map((inner) => typed(inner, report));
  return eachField(value, (_, inner) => typed(inner, report));
}

/** The number of a text, or the text where the number would be another one. */
function numberOf(text: string, report: Report): number | string {
  const wrong = numberProblem(text);
  if (!wrong) return Number(text);
  report(`${wrong.problem}: ${wrong.hint}`);
  return text;
}

/** An object with its fields changed, without those that `change` makes undefined; the object itself where none is. */
function eachField(value: unknown, change: (name: string, inner: unknown) => unknown): unknown {
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
