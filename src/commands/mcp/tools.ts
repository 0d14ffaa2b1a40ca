import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { createOperationSchemas, type JsonSchema } from '../../catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import type { OperationRunner } from '../definition.ts';
import { toolName } from './tool-terms.ts';

export type OperationTool = Awaited<ReturnType<typeof createTool>>;

interface ToolOptions {
  readonly writes: boolean;
  readonly remote: boolean;
  /** Whether results match their schemas. False for dry runs, envelopes, and selected fields. */
  readonly hasPlainOutput: boolean;
  readonly runners: readonly OperationRunner[];
}

export async function createTools(options: ToolOptions): Promise<ReadonlyMap<string, OperationTool>> {
  const entries = manifest.filter(({ effect }) => options.writes || effect === 'read');
  const tools = await Promise.all(entries.map((entry) => createTool(entry, options)));
  return new Map(tools.map((tool) => [tool.tool.name, tool]));
}

async function createTool(entry: OperationEntry, { remote, hasPlainOutput, runners }: ToolOptions) {
  const operation = await loadOperation(entry.resource, entry.name);
  // Some hosts reject conditions at the top level of a schema.
  const { input, output } = createOperationSchemas(operation, { rules: false });
  const inputSchema: Tool['inputSchema'] = JSON.parse(JSON.stringify(input));
  return {
    entry,
    operation,
    runner: runners.find(({ operation: name }) => name === entry.name),
    tool: {
      name: toolName(entry.name),
      title: entry.summary,
      description: descriptionOf(entry),
      inputSchema,
      ...(hasPlainOutput && { outputSchema: createOutputSchema(entry, operation, output) }),
      annotations: {
        readOnlyHint: entry.effect === 'read',
        destructiveHint: isDestructive(operation),
        idempotentHint: entry.effect !== 'once',
        openWorldHint: remote,
      },
    },
  };
}

function descriptionOf(entry: OperationEntry): string {
  const { summary, description, command, version, paged } = entry;
  const parts = [
    `${summary}.`,
    ...(description ? [description] : []),
    ...(paged ? ['Returns one page at a time; a note after the result contains the cursor of the next page.'] : []),
    `Equivalent to \`svc ${command.join(' ')}\` (${version}).`,
  ];
  return parts.join(' ');
}

/** Whether an operation can destroy data: it replaces or deletes records, is not repeatable, or needs confirmation. */
function isDestructive({ effect, confirm }: Operation): boolean {
  return effect === 'set' || effect === 'delete' || effect === 'once' || (effect !== 'read' && confirm !== undefined);
}

type Shape = Readonly<Record<string, unknown>>;
const TEXT = { type: 'string' };
const COUNTS = 'total succeeded failed unknown skipped created updated unchanged existing requests retries'.split(' ');

const SUMMARY: Shape = {
  type: 'object',
  properties: {
    ...{ operation: TEXT, job: TEXT },
    ...Object.fromEntries(COUNTS.map((name) => [name, { type: 'integer' }])),
    seconds: { type: 'number' },
    failures: { type: 'array', items: { type: 'object', properties: { id: TEXT, message: { type: ['string', 'null'] } } } },
  },
};

/**
 * Creates the schema of a tool's structured result. All fields are optional and nullable, because hosts reject results
 * that do not match, while svc accepts responses with extra or missing fields.
 */
function createOutputSchema({ bulk }: OperationEntry, { records, columns }: Operation, output: JsonSchema) {
  const relaxedOutput = relaxSchema(output);
  const items = records === undefined ? relaxedOutput : (relaxedOutput['properties'] as Shape | undefined)?.[records];
  const result = bulk === 'array' ? SUMMARY : columns ? (items ?? {}) : relaxedOutput;
  return {
    type: 'object',
    properties: {
      result: { description: "the command's output as JSON", ...(result as Shape) },
      notes: { type: 'array', items: { type: 'string' }, description: 'messages, such as warnings and notes about more pages' },
    },
  };
}

/** Keeps only types and descriptions. Drops references, because the schema's root changes. */
function relaxSchema(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, description, properties, items, anyOf } = schema as Shape;
  return {
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(typeof description === 'string' && { description }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Shape).map(([name, of]) => [name, relaxSchema(of)])),
    }),
    ...(items !== undefined && { items: relaxSchema(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(relaxSchema) }),
  };
}
