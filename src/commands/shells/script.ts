import { BASH } from './scripts/bash.ts';
import { FISH } from './scripts/fish.ts';
import { POWERSHELL } from './scripts/powershell.ts';
import { ZSH } from './scripts/zsh.ts';
import type { Shell } from './shells.ts';

const BODIES: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

const ABOUT = `# Completion for svc: runs \`svc __complete\`, which prints one candidate per line, with a tab before its description.
# A candidate that ends in / or = is a prefix of a longer word. The typed words are passed as arguments and never evaluated.
`;

/** Returns the completion script of a shell. In zsh scripts, `#compdef` must be on the first line. */
export function completionScript(shell: Shell): string {
  const body = BODIES[shell];
  const head = /^#compdef.*\n/.exec(body)?.[0] ?? '';
  return head + ABOUT + body.slice(head.length);
}
