import type { CommandDefinition, OperationRunner } from '../definition.ts';

/**
 * Loads the definitions of commands, by group. A command line loads only the group of its command;
 * the outline of all commands says which one that is.
 */
export const DEFINITIONS = {
  profiles: async () => (await import('../profiles/commands.ts')).PROFILE_COMMANDS,
  recovery: async () => (await import('../auth-tokens/commands.ts')).RECOVER_COMMANDS,
  history: async () => (await import('../history/commands.ts')).HISTORY_COMMANDS,
  doctor: async () => [(await import('../doctor/commands.ts')).DOCTOR_COMMAND],
  serve: async () => (await import('../serve/commands.ts')).SERVE_COMMANDS,
  mcp: async () => [(await import('../mcp/commands.ts')).MCP_COMMAND],
  local: async () => (await import('../local/commands.ts')).LOCAL_COMMANDS,
  contract: async () => (await import('../contract/commands.ts')).CONTRACT_COMMANDS,
  jobs: async () => (await import('../jobs/commands.ts')).JOB_COMMANDS,
  dossier: async () => [(await import('../dossier/commands.ts')).DOSSIER_COMMAND],
  tools: async () => (await import('../tools/commands.ts')).TOOL_COMMANDS,
  validate: async () => (await import('../bulk/validate-commands.ts')).VALIDATE_COMMANDS,
  completion: async () => (await import('../shells/commands.ts')).COMPLETION_COMMANDS,
  webhooks: async () => (await import('../webhooks/commands.ts')).WEBHOOK_COMMANDS,
  settings: async () => (await import('../settings/commands.ts')).SETTINGS_COMMANDS,
} satisfies Readonly<Record<string, () => Promise<readonly CommandDefinition[]>>>;

export type DefinitionGroup = keyof typeof DEFINITIONS;

/** Loads the definitions of all commands except those of operations, with their groups. */
export function loadTools(): Promise<
  readonly (CommandDefinition & { readonly group: DefinitionGroup })[]
> {
  const groups = Object.keys(DEFINITIONS) as DefinitionGroup[];
  const load = async (group: DefinitionGroup) =>
    (await DEFINITIONS[group]()).map((tool) => ({ ...tool, group }));
  return Promise.all(groups.map(load)).then((tools) => tools.flat());
}

/** Loads the custom code that runs operations. */
export async function loadRunners(): Promise<readonly OperationRunner[]> {
  const { LIST_RUNNER, RESET_RUNNER } = await import('../auth-tokens/commands.ts');
  const { CREATE_WORKSPACE_RUNNER } = await import('../workspace/commands.ts');
  return [RESET_RUNNER, LIST_RUNNER, CREATE_WORKSPACE_RUNNER];
}
