import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { RUNNERS, TOOLS } from './definitions.ts';

export type ToolOutline = Pick<CommandDefinition, 'command' | 'summary'>;
/**
 * Outlines of all tools. The build replaces this module with constants, so that the tree loads no
 * definitions.
 */
export const toolOutline: readonly ToolOutline[] = TOOLS.map(({ command, summary }) => ({
  command,
  summary,
}));
export const runnerOutline: readonly OperationRunner['operation'][] = RUNNERS.map(
  ({ operation }) => operation,
);
