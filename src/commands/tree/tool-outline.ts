import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { RUNNERS, TOOLS } from './definitions.ts';

/** Properties of a tool that the command tree needs. */
export type ToolOutline = Pick<CommandDefinition, 'command' | 'summary'>;

/** Outlines of all tools. The build replaces them with constants. */
export const toolOutline: readonly ToolOutline[] = TOOLS.map(({ command, summary }) => ({ command, summary }));

export const runnerOutline: readonly OperationRunner['operation'][] = RUNNERS.map(({ operation }) => operation);
