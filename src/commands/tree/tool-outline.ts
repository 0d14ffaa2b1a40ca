import type { CommandDefinition, OperationRunner } from '../definition.ts';
import { RUNNERS, TOOLS } from './definitions.ts';

/** What the tree of commands shows of a tool. */
export type ToolOutline = Pick<CommandDefinition, 'command' | 'summary'>;

/** The tools in short. As with the outline of operations, the build writes it down. */
export const toolOutline: readonly ToolOutline[] = TOOLS.map(({ command, summary }) => ({ command, summary }));

/** The operations that have a runner of their own. */
export const runnerOutline: readonly OperationRunner['operation'][] = RUNNERS.map(({ operation }) => operation);
