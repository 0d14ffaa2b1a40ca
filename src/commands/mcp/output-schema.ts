import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import type { JsonSchema } from '../../catalog/json-schema.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';

type Shape = Readonly<Record<string, unknown>>;

const COUNT = { type: 'integer' };

/** The summary of a run over many records. */
const SUMMARY: Shape = {
  type: 'object',
  properties: {
    ...{ operation: { type: 'string' }, job: { type: 'string' }, total: COUNT, succeeded: COUNT, failed: COUNT },
    ...{ unknown: COUNT, skipped: COUNT, requests: COUNT, retries: COUNT, seconds: { type: 'number' } },
    failures: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'string' }, message: { type: ['string', 'null'] } } },
    },
  },
};

/**
 * What a tool's structured answer looks like. Hosts refuse what does not fit, while svc takes an answer that holds more
 * or less than is described for what it is: so nothing is required here, and what may be null can be.
 */
export function outputSchema(
  { bulk }: OperationEntry,
  { records, columns }: Operation,
  output: JsonSchema,
): NonNullable<Tool['outputSchema']> {
  const reply = loosened(output);
  const listed = records === undefined ? reply : membersOf(reply)[records];
  const result = bulk === 'array' ? SUMMARY : columns ? (listed ?? {}) : reply;
  return {
    type: 'object',
    properties: {
      result: { description: 'what the command prints as JSON', ...(result as Shape) },
      notes: {
        type: 'array',
        items: { type: 'string' },
        description: 'what is to be known beside it: warnings, more pages',
      },
    },
  };
}

function membersOf({ properties }: Shape): Readonly<Record<string, unknown>> {
  return (properties ?? {}) as Shape;
}

/** Types and what they are for. A schema that contains itself is any value there: its references are from another root. */
function loosened(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, description, properties, items, anyOf } = schema as Shape;
  return {
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(typeof description === 'string' && { description }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Shape).map(([name, of]) => [name, loosened(of)])),
    }),
    ...(items !== undefined && { items: loosened(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(loosened) }),
  };
}
