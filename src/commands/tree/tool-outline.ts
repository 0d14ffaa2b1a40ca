import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { RUNNERS, TOOLS } from './definitions.ts';

export type ToolOutline = Pick<CommandDefinition, 'command' | 'summary' | 'isHidden'>;
/**
 * Outlines of all tools. The build replaces this module with constants, so that the tree loads no
 * definitions.
 */
export const toolOutline: readonly ToolOutline[] = TOOLS.map(({ command, summary, isHidden }) => ({
  command,
  summary,
  ...optionalProperty('isHidden', isHidden),
}));
export const runnerOutline: readonly OperationRunner['operation'][] = RUNNERS.map(
  ({ operation }) => operation,
);
