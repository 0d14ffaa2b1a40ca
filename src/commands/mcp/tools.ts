import type { Tool } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { operationSchemas } from '../../catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import type { OperationRunner } from '../definition.ts';
import { given } from '../option-values.ts';
import { outputSchema } from './output-schema.ts';
import { textInToolTerms, toolName } from './tool-terms.ts';

/** An operation as hosts see it, in the protocol's own terms. */
export interface OperationTool {
  readonly entry: OperationEntry;
  readonly operation: Operation;
  readonly tool: Tool;
  /** What runs it, where it takes more than a call. */
  readonly runner?: OperationRunner;
}

interface ToolOptions {
  readonly writes: boolean;
  /** They reach a service elsewhere. */
  readonly remote: boolean;
  /** They answer with what is described: not with requests, envelopes or chosen fields. */
  readonly asDescribed: boolean;
  readonly runners: readonly OperationRunner[];
}

/** The operations as tools by their names: all of them, or those that change nothing. */
export async function operationTools(options: ToolOptions): Promise<ReadonlyMap<string, OperationTool>> {
  const entries = manifest.filter(({ effect }) => options.writes || effect === 'read');
  const tools = await Promise.all(entries.map((entry) => toolOf(entry, options)));
  return new Map(tools.map((tool) => [tool.tool.name, tool]));
}

async function toolOf(entry: OperationEntry, { remote, asDescribed, runners }: ToolOptions): Promise<OperationTool> {
  const operation = await loadOperation(entry.resource, entry.name);
  // Some hosts refuse conditions at the top of an input schema.
  const { input, output } = operationSchemas(operation, { rules: false });
  const inputSchema: Tool['inputSchema'] = JSON.parse(JSON.stringify(input));
  return {
    entry,
    operation,
    ...given(
      'runner',
      runners.find(({ operation: name }) => name === entry.name),
    ),
    tool: {
      name: toolName(entry.name),
      title: entry.summary,
      description: descriptionOf(entry),
      inputSchema,
      ...(asDescribed && { outputSchema: outputSchema(entry, operation, output) }),
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
    ...(description ? [textInToolTerms(description, entry)] : []),
    ...(paged ? ['Answers page by page: what asks for the next one is named behind the answer.'] : []),
    `Does what \`svc ${command.join(' ')}\` does (${version}).`,
  ];
  return parts.join(' ');
}

/** Whether something may be lost by it: it replaces, removes, or can hurt so that people are asked first. */
function isDestructive({ effect, confirm }: Operation): boolean {
  return effect === 'set' || effect === 'delete' || effect === 'once' || (effect !== 'read' && confirm !== undefined);
}
