import type { OptionDefinition } from '../definition.ts';

export const MCP_FLAGS = [
  { flags: '--allow-writes', description: 'also offer tools that write' },
] as const satisfies readonly OptionDefinition[];
