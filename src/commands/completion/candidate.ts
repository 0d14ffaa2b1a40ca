import type { Environment, Folders } from '../../kernel/folders.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';

/** Sources of candidates besides the command tree: local files, never the network. */
export interface CompletionDependencies {
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
}

/** A candidate for completion. A value that ends in `/` or `=` is incomplete: the user continues the same word. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Formats candidates for a shell: one per line, with a tab before the description. Candidates that would break the line are omitted. */
export function candidateLines(candidates: Iterable<Candidate>): string {
  let text = '';
  for (const { value, description } of candidates) {
    if (escapeForTerminal(value) !== value) continue;
    text += description ? `${value}\t${escapeForTerminal(description)}\n` : `${value}\n`;
  }
  return text;
}

/** Converts plain values to candidates. */
export function toCandidates(values: Iterable<string>): Candidate[] {
  return Array.from(values, (value) => ({ value }));
}
