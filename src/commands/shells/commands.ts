import type { CommandDefinition } from '../definition.ts';
import { SHELL_NAMES, SHELLS } from './shells.ts';

const SHELL = {
  name: 'shell',
  describes: `${SHELLS.join(', ')}; the one of $SHELL when left out`,
  required: false,
} as const;

const TRIES = {
  bash: 'source <(svc completion bash)',
  zsh: 'source <(svc completion zsh)',
  fish: 'svc completion fish | source',
  powershell: 'svc completion powershell | Out-String | Invoke-Expression',
} as const;

/** Completion of command lines: a script for each shell, and putting it where the shell finds it. */
export const COMPLETION_COMMANDS: readonly CommandDefinition[] = [
  ...SHELLS.map(
    (shell): CommandDefinition => ({
      command: ['completion', shell],
      summary: `Print the completion script for ${SHELL_NAMES[shell]}`,
      description: `Completes commands, flags, values, file names, profiles, and the ids that earlier commands have read. Nothing is asked over the network, and SVC_COMPLETION_CACHE=0 keeps no ids.`,
      examples: [{ command: TRIES[shell], does: 'for this session alone' }],
      load: async () => {
        const { completionScript } = await import('./script.ts');
        return ({ io }) => io.stdout.write(completionScript(shell));
      },
    }),
  ),
  {
    command: ['completion', 'install'],
    summary: 'Have a shell complete svc from now on',
    description: 'Shows each file and line that it would write, and asks before it writes them.',
    examples: [{ command: 'svc completion install bash --yes', does: 'without being asked' }],
    arguments: [SHELL],
    load: async () => (await import('./install.ts')).installCompletion,
  },
  {
    command: ['completion', 'uninstall'],
    summary: 'Take out what install put in, and nothing else',
    examples: [{ command: 'svc completion uninstall bash --yes', does: 'without being asked' }],
    arguments: [SHELL],
    load: async () => (await import('./install.ts')).uninstallCompletion,
  },
];
