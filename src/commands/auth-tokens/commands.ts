import {
  type CommandDefinition,
  defineCommand,
  defineRunner,
  type OperationRunner,
} from '../definition.ts';
import { RECOVER_FLAGS, RESET_FLAGS } from './flags.ts';

export const RESET_RUNNER: OperationRunner = defineRunner({
  operation: 'auth-tokens.reset',
  options: RESET_FLAGS,
  load: async () => (await import('./reset.ts')).resetAuthToken,
});

export const LIST_RUNNER: OperationRunner = {
  operation: 'auth-tokens.list',
  options: [],
  load: async () => (await import('./list.ts')).listAuthTokens,
};

const RECOVER_COMMAND: CommandDefinition = defineCommand({
  command: ['auth-tokens', 'recover'],
  globalFlags: ['service', 'result'],
  summary: 'List and complete interrupted auth token resets',
  description:
    'If a new token could not be delivered, the reset saves it in a recovery record. A reset that got no response or ' +
    'was killed also leaves a record. If the old token is known, svc probes it to find out whether the reset was applied.',
  examples: {
    'svc auth-tokens recover': 'list interrupted resets with masked tokens',
    "svc auth-tokens recover --show-secrets -o json --jq '.[0].token'": 'print the saved token',
    'svc auth-tokens recover --save': 'save the token in the selected profile',
  },
  options: RECOVER_FLAGS,
  listEnd: 'complete',
  load: async () => (await import('./recover.ts')).authRecover,
});

export const RECOVER_COMMANDS: readonly CommandDefinition[] = [
  RECOVER_COMMAND,
  // Scripts of earlier versions use this name.
  { ...RECOVER_COMMAND, command: ['auth', 'recover'], isHidden: true },
];
