import type { OperationRunner } from '../definition.ts';

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
