import type { CommandDefinition, OperationRunner } from '../definition.ts';

/** `auth-tokens reset` is the one write whose reply cannot be had again, so it is run with care of its own. */
export const RESET_RUNNER: OperationRunner = {
  operation: 'auth-tokens.reset',
  options: [
    { flags: '--save', describes: 'put the new token into the profile in use' },
    { flags: '--to <exec:command>', describes: "run a command with the new token on its stdin: --to exec:'…'" },
    { flags: '--output-file <path>', describes: 'write the new token to a new file, readable by you only' },
    { flags: '--github', describes: "in GitHub Actions: mask the token, and set it as the step's output 'token'" },
    { flags: '--ensure', describes: 'where no usable answer comes, reset again until a token is in hand' },
  ],
  load: async () => (await import('./reset.ts')).resetAuthToken,
};

/** The command that finishes what interrupted resets left. */
export const RECOVER_COMMAND: CommandDefinition = {
  command: ['auth', 'recover'],
  summary: 'List what broken resets of auth tokens left, and finish them',
  description:
    'A reset that could not hand its new token on keeps it in a record; one that got no answer, or was killed, leaves ' +
    'a record of that. Where the old token is known it is tried, which tells whether the reset was applied.',
  examples: [
    { command: 'svc auth recover', does: 'list what is left, tokens masked' },
    { command: "svc auth recover --show-secrets -o json --jq '.[0].token'", does: 'the kept token' },
    { command: 'svc auth recover --save', does: 'put it into the profile in use' },
  ],
  options: [
    { flags: '--save', describes: 'put the kept token into the profile in use, and remove its record' },
    { flags: '--remove <id>', describes: 'remove a record, and the token that it keeps' },
    { flags: '--no-check', describes: 'ask the service nothing' },
  ],
  load: async () => (await import('./recover.ts')).authRecover,
};
