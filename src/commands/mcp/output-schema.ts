import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import type { JsonSchema } from '../../catalog/json-schema.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';

type Shape = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' };
const COUNTS = 'total succeeded failed unknown skipped created updated unchanged existing requests retries'.split(' ');

/** Schema of a bulk job's summary. */
const SUMMARY: Shape = {
  type: 'object',
  properties: {
    ...{ operation: TEXT, job: TEXT },
    ...Object.fromEntries(COUNTS.map((name) => [name, { type: 'integer' }])),
    seconds: { type: 'number' },
    failures: {
      type: 'array',
      items: { type: 'object', properties: { id: TEXT, message: { type: ['string', 'null'] } } },
    },
  },
};

/**
 * Creates the schema of a tool's structured result. All fields are optional and nullable, because hosts reject results
 * that do not match, while svc accepts responses with extra or missing fields.
 */
export function createOutputSchema(
  { bulk }: OperationEntry,
  { records, columns }: Operation,
  output: JsonSchema,
): NonNullable<Tool['outputSchema']> {
  const looseOutput = loosen(output);
  const items = records === undefined ? looseOutput : propertiesOf(looseOutput)[records];
  const result = bulk === 'array' ? SUMMARY : columns ? (items ?? {}) : looseOutput;
  return {
    type: 'object',
    properties: {
      result: { description: "the command's output as JSON", ...(result as Shape) },
      notes: {
        type: 'array',
        items: { type: 'string' },
        description: 'messages, such as warnings and notes about more pages',
      },
    },
  };
}

function propertiesOf({ properties }: Shape): Readonly<Record<string, unknown>> {
  return (properties ?? {}) as Shape;
}

/** Keeps only types and descriptions. Drops references, because the schema's root changes. */
function loosen(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, description, properties, items, anyOf } = schema as Shape;
  return {
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(typeof description === 'string' && { description }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Shape).map(([name, of]) => [name, loosen(of)])),
    }),
    ...(items !== undefined && { items: loosen(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(loosen) }),
  };
}
