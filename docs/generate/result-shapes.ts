import type { Operation } from '../../src/catalog/define.ts';
import { loadOperation } from '../../src/catalog/index.ts';
import { createOperationSchemas } from '../../src/catalog/json-schema.ts';
import type { OperationEntry } from '../../src/catalog/manifest.ts';

/**
 * The shape of a JSON value: a type, an object of shapes, or a list with the shape of its items. A
 * key that ends in `?` may be absent.
 */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape };

/** Result of a write whose response has no data. */
const NO_DATA: Shape = { status: '"success"', message: 'string' };

/**
 * Returns the shape that an operation's command prints with `-o json`; `undefined` for the summary
 * of a bulk command.
 */
export async function operationShape(entry: OperationEntry): Promise<Shape | undefined> {
  if (entry.bulk === 'array') return undefined;
  const operation: Operation = await loadOperation(entry.resource, entry.name);
  const { output } = createOperationSchemas(operation, { rules: false });
  const { records, columns } = operation;
  const listed =
    columns && records !== undefined ? fieldsOf(output, 'properties')[records] : output;
  const shape = shapeOfSchema(listed, output);
  return entry.effect !== 'read' && (shape === 'null' || shape === 'any') ? NO_DATA : shape;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Converts a schema. A reference to a schema that contains it, such as a folder in a folder, is not
 * followed.
 */
function shapeOfSchema(given: unknown, root: unknown, parents: readonly unknown[] = []): Shape {
  const schema = given as Schema;
  const inside = (inner: unknown) => shapeOfSchema(inner, root, [...parents, schema['$ref']]);
  const { type, items, anyOf, enum: values, const: constant } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf)) return unionOf(anyOf.map(inside));
  if (type === 'array') return [items === undefined ? 'any' : inside(items)];
  if (type === 'object') return objectShape(schema, inside);
  const reference = schema['$ref'];
  if (typeof reference === 'string')
    return parents.includes(reference) ? 'the same' : inside(resolve(reference, root));
  return Array.isArray(type)
    ? type.join(' | ')
    : String(type ?? 'any').replace('integer', 'number');
}

/** Union of types; of several objects, the first one stands for all. */
function unionOf(shapes: readonly Shape[]): Shape {
  return shapes.find((shape) => typeof shape !== 'string') ?? [...new Set(shapes)].join(' | ');
}

/** Resolves a reference such as `#/$defs/folder`. */
function resolve(reference: string, root: unknown): unknown {
  return reference.split('/').slice(1).reduce(fieldsOf, root);
}

function objectShape(schema: Schema, shapeOf: (inner: unknown) => Shape): Shape {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(fieldsOf(schema, 'properties')).map(([name, inner]) => [
    required.includes(name) ? name : `${name}?`,
    shapeOf(inner),
  ]);
  const others = schema['additionalProperties'];
  const isMap =
    fields.length === 0 && typeof others === 'object' && Object.keys(others ?? {}).length > 0;
  if (isMap) return { '<id>': shapeOf(others) };
  return fields.length === 0 ? 'object' : Object.fromEntries(fields);
}

function fieldsOf(schema: unknown, key: string): Schema {
  return ((schema as Schema)[key] ?? {}) as Schema;
}

const MAX_LINE = 110;

/**
 * Formats a shape like JSON, with types instead of values, and `?` after keys that may be absent.
 */
export function formatShape(shape: Shape, indent = ''): string {
  const flat = formatFlat(shape);
  if (indent.length + flat.length <= MAX_LINE || typeof shape === 'string') return flat;
  const inner = `${indent}  `;
  if (isList(shape)) return `[\n${inner}${formatShape(shape[0], inner)}\n${indent}]`;
  const fields = Object.entries(shape).map(
    ([key, value]) => `${inner}${formatKey(key)}: ${formatShape(value, inner)}`,
  );
  return `{\n${fields.join(',\n')}\n${indent}}`;
}

function formatFlat(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (isList(shape)) return `[${formatFlat(shape[0])}]`;
  return `{ ${Object.entries(shape)
    .map(([key, value]) => `${formatKey(key)}: ${formatFlat(value)}`)
    .join(', ')} }`;
}

export function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function formatKey(key: string): string {
  return key.endsWith('?') ? `"${key.slice(0, -1)}"?` : `"${key}"`;
}
