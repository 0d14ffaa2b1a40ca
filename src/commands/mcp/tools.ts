import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { createOperationSchemas, type JsonSchema } from '../../catalog/json-schema.ts';
import { findEntryByCommand, manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { commandLineOf, Hint, hint, type NextStep, SvcError, step } from '../../kernel/errors.ts';
import type { OperationRunner } from '../definition.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';

export type OperationTool = Awaited<ReturnType<typeof createTool>>;

interface ToolOptions {
  readonly writes: boolean;
  readonly remote: boolean;
  /** Whether results match their schemas. False for dry runs, envelopes, and selected fields. */
  readonly hasPlainOutput: boolean;
  readonly runners: readonly OperationRunner[];
}

export async function createTools(
  options: ToolOptions,
): Promise<ReadonlyMap<string, OperationTool>> {
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
    description,
    paged &&
      'Returns one page at a time; a note after the result contains the cursor of the next page.',
    `Equivalent to \`svc ${command.join(' ')}\` (${version}).`,
  ];
  return parts.filter(Boolean).join(' ');
}

/**
 * Whether an operation can destroy data: it replaces or deletes records, is not repeatable, or
 * needs confirmation.
 */
function isDestructive({ effect, confirm }: Operation): boolean {
  return (
    effect === 'set' ||
    effect === 'delete' ||
    effect === 'once' ||
    (effect !== 'read' && confirm !== undefined)
  );
}

type Shape = Readonly<Record<string, unknown>>;
const TEXT = { type: 'string' };
const COUNTS =
  'total succeeded failed unknown skipped created updated unchanged existing requests retries'.split(
    ' ',
  );

const SUMMARY: Shape = {
  type: 'object',
  properties: {
    operation: TEXT,
    job: TEXT,
    ...Object.fromEntries(COUNTS.map((name) => [name, { type: 'integer' }])),
    seconds: { type: 'number' },
    failures: {
      type: 'array',
      items: { type: 'object', properties: { id: TEXT, message: { type: ['string', 'null'] } } },
    },
  },
};

/**
 * Creates the schema of a tool's structured result. All fields are optional and nullable, because
 * hosts reject results that do not match, while svc accepts responses with extra or missing fields.
 */
function createOutputSchema(
  { bulk }: OperationEntry,
  { records, columns }: Operation,
  output: JsonSchema,
) {
  const relaxedOutput = relaxSchema(output);
  const items =
    records === undefined
      ? relaxedOutput
      : (relaxedOutput['properties'] as Shape | undefined)?.[records];
  const result = bulk === 'array' ? SUMMARY : columns ? (items ?? {}) : relaxedOutput;
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

/** Keeps only types and descriptions. Drops references, because the schema's root changes. */
function relaxSchema(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, description, properties, items, anyOf } = schema as Shape;
  return {
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(typeof description === 'string' && { description }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Shape).map(([name, of]) => [name, relaxSchema(of)]),
      ),
    }),
    ...(items !== undefined && { items: relaxSchema(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(relaxSchema) }),
  };
}

export function toToolError(thrown: SvcError, options: ServiceFlags): SvcError {
  const error = withServiceFlags(thrown, options);
  const { structuredHint } = error;
  return structuredHint instanceof Hint
    ? error.reworded({ hint: structuredHint.format(toToolStep) })
    : error;
}

/**
 * Formats a step for a host: refers to the input schema instead of help, and to tools instead of
 * list commands.
 */
function toToolStep(step: NextStep): string {
  const { kind, command } = step;
  if (kind === 'help') return "the tool's input schema";
  const firstFlag = command.findIndex((word) => word.startsWith('-'));
  const entry =
    kind === 'list'
      ? findEntryByCommand(command.slice(0, firstFlag < 0 ? undefined : firstFlag))
      : undefined;
  return entry ? toolName(entry.name) : commandLineOf(step);
}

export function toolName(operation: string): string {
  return operation.replace(/\W/g, '_');
}

export function cannotAskUserError(question: string): SvcError {
  return new SvcError(
    'usage',
    `${question} This host cannot ask its user for confirmation; nothing was sent.`,
    {
      hint: 'to allow operations that need confirmation, start this server with --allow-writes --yes',
    },
  );
}

export function secretWithheldError(command: readonly string[]): SvcError {
  return new SvcError(
    'usage',
    'this operation returns a secret, which would be visible in the conversation',
    {
      hint: hint`run ${step('show', ...command)} yourself, or start this server with --show-secrets`,
    },
  );
}
