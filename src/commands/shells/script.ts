import { BASH } from './scripts/bash.ts';
import { FISH } from './scripts/fish.ts';
import { POWERSHELL } from './scripts/powershell.ts';
import { ZSH } from './scripts/zsh.ts';
import type { Shell } from './shells.ts';

const BODIES: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

const ABOUT = `# Completion of svc: asks \`svc __complete\` for what may follow, a candidate a line with a tab before its description.
# A candidate that ends in / or = is the beginning of a longer word. What was typed is handed over and never evaluated.
`;

/** The completion script of a shell. zsh wants its first line first. */
export function completionScript(shell: Shell): string {
  const body = BODIES[shell];
  const head = /^#compdef.*\n/.exec(body)?.[0] ?? '';
  return head + ABOUT + body.slice(head.length);
}
