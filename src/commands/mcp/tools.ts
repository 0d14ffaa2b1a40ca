import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { createOperationSchemas } from '../../catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import type { OperationRunner } from '../definition.ts';
import { createOutputSchema } from './output-schema.ts';
import { toolName } from './tool-terms.ts';

export interface OperationTool {
  readonly entry: OperationEntry;
  readonly operation: Operation;
  readonly tool: Tool;
  /** Custom code of the operation, if any. */
  readonly runner: OperationRunner | undefined;
}

interface ToolOptions {
  readonly writes: boolean;
  /** Whether the tools call a remote service. */
  readonly remote: boolean;
  /** Whether results match their schemas. False for dry runs, envelopes, and selected fields. */
  readonly hasPlainOutput: boolean;
  readonly runners: readonly OperationRunner[];
}

/** Creates the tools, by name. Without `writes`, creates only tools that read. */
export async function createTools(options: ToolOptions): Promise<ReadonlyMap<string, OperationTool>> {
  const entries = manifest.filter(({ effect }) => options.writes || effect === 'read');
  const tools = await Promise.all(entries.map((entry) => createTool(entry, options)));
  return new Map(tools.map((tool) => [tool.tool.name, tool]));
}

async function createTool(
  entry: OperationEntry,
  { remote, hasPlainOutput, runners }: ToolOptions,
): Promise<OperationTool> {
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
    ...(paged ? ['Returns one page at a time; a note after the result tells how to request the next page.'] : []),
    `Equivalent to \`svc ${command.join(' ')}\` (${version}).`,
  ];
  return parts.join(' ');
}

/** Whether an operation can destroy data: it replaces or deletes records, is not repeatable, or needs confirmation. */
function isDestructive({ effect, confirm }: Operation): boolean {
  return effect === 'set' || effect === 'delete' || effect === 'once' || (effect !== 'read' && confirm !== undefined);
}
