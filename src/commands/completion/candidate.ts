import type { Environment, Folders } from '../../kernel/folders.ts';
import { safeText } from '../../kernel/safe-text.ts';

/** What candidates are read from besides the tree of commands: files of this machine, and nothing over the network. */
export interface CompletionDependencies {
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
}

/** A word that may be meant. One that ends in `/` or `=` is a beginning: more of the same word follows. */
export interface Candidate {
  readonly value: string;
  readonly describes?: string;
}

/** As shells read candidates: one a line, a tab before the description. What would break the line is left out. */
export function candidateLines(candidates: Iterable<Candidate>): string {
  let text = '';
  for (const { value, describes } of candidates) {
    if (safeText(value) !== value) continue;
    text += describes ? `${value}\t${safeText(describes)}\n` : `${value}\n`;
  }
  return text;
}

/** The values of a list as candidates. */
export function plainly(values: Iterable<string>): Candidate[] {
  return Array.from(values, (value) => ({ value }));
}
