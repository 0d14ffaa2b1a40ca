import type { CommandDefinition } from '../definition.ts';
import { readCompletionScript, SHELL_NAMES, SHELLS } from './shells.ts';

const SHELL = {
  name: 'shell',
  description: `${SHELLS.join(', ')} (default: from $SHELL)`,
  required: false,
} as const;

const SESSION_COMMANDS = {
  bash: 'source <(svc completion bash)',
  zsh: 'source <(svc completion zsh)',
  fish: 'svc completion fish | source',
  powershell: 'svc completion powershell | Out-String | Invoke-Expression',
} as const;

export const COMPLETION_COMMANDS: readonly CommandDefinition[] = [
  ...SHELLS.map(
    (shell): CommandDefinition => ({
      command: ['completion', shell],
      isHidden: true,
      globalFlags: [],
      summary: `Print the completion script for ${SHELL_NAMES[shell]}`,
      description: `Completes commands, flags, values, file names, profiles, and IDs from the results of earlier commands. Never uses the network. SVC_COMPLETION_CACHE=0 disables the ID cache.`,
      examples: { [SESSION_COMMANDS[shell]]: 'enable completion for this session' },
      load:
        async () =>
        async ({ io }) =>
          io.stdout.write(await readCompletionScript(shell)),
    }),
  ),
  {
    command: ['completion', 'install'],
    globalFlags: ['dry-run'],
    summary: 'Install completion for a shell',
    description: 'Shows all file changes and asks for confirmation before writing them.',
    examples: { 'svc completion install bash --yes': 'skip the confirmation' },
    arguments: [SHELL],
    load: async () => (await import('./install.ts')).installCompletion,
  },
  {
    command: ['completion', 'uninstall'],
    globalFlags: ['dry-run'],
    summary: 'Remove the completion script and its start-up lines',
    examples: { 'svc completion uninstall bash --yes': 'skip the confirmation' },
    arguments: [SHELL],
    load: async () => (await import('./install.ts')).uninstallCompletion,
  },
];
