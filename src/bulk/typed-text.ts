import type * as z from 'zod';
import { definition, shapeOf, unwrap } from '../catalog/introspect.ts';
import { parseJson } from './source/json-text.ts';

/** Gives a value the type that its field has. What is no such value stays, for the schema to refuse. */
type Convert = (value: unknown) => unknown;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * For records of a format that knows nothing but text: numbers, `true` and `false` become what the schema asks for, and
 * JSON in the place of an object or a list is read. Everything else stays text, above all ids. `undefined` when the
 * schema asks for nothing but text.
 */
export function textConverter(schema: z.ZodType): Convert | undefined {
  const fields = convertersOf(shapeOf(schema));
  return fields.size > 0 ? (value) => withFields(value, fields) : undefined;
}

function convertersOf(shape: Readonly<Record<string, z.ZodType>>): ReadonlyMap<string, Convert> {
  const converters = Object.entries(shape).map(([field, schema]) => [field, converterOf(schema)] as const);
  return new Map(converters.filter((entry): entry is [string, Convert] => entry[1] !== undefined));
}

function converterOf(declared: z.ZodType): Convert | undefined {
  const { type, element, valueType, shape } = definition(unwrap(declared).schema);
  switch (type) {
    case 'boolean':
      return (value) => (value === 'true' ? true : value === 'false' ? false : value);
    case 'number':
      return (value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value);
    case 'object': {
      const fields = convertersOf(shape ?? {});
      return orJson((value) => withFields(value, fields));
    }
    case 'record':
      return orJson(mapped(valueType && converterOf(valueType)));
    case 'array':
      return orJson(mapped(element && converterOf(element)));
    default:
      return undefined;
  }
}

/** Text is JSON here, whose values have their types; any other value is converted from within. */
function orJson(within: Convert): Convert {
  return (value) => (typeof value === 'string' ? parsed(value) : within(value));
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'a value', { line: 1, column: 1 });
  } catch {
    return text;
  }
}

function mapped(convert: Convert = (value) => value): Convert {
  return (value) => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]));
  };
}

function withFields(value: unknown, fields: ReadonlyMap<string, Convert>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const [field, convert] of fields) {
    if (Object.hasOwn(copy, field)) copy[field] = convert(copy[field]);
  }
  return copy;
}
