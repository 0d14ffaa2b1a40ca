import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { RUNNERS, TOOLS } from './definitions.ts';

/** Part of a tool's definition that the command tree needs. */
export type ToolOutline = Pick<CommandDefinition, 'command' | 'summary'>;

/** Outlines of all tools. Like the outline of operations, replaced by constants during the build. */
export const toolOutline: readonly ToolOutline[] = TOOLS.map(({ command, summary }) => ({ command, summary }));

/** Operations with custom code. */
export const runnerOutline: readonly OperationRunner['operation'][] = RUNNERS.map(({ operation }) => operation);
