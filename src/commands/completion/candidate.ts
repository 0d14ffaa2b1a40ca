import type { Environment, Folders } from '../../kernel/folders.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';

/** Environment of a completion, which reads local files but never uses the network. */
export interface CompletionDependencies {
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
}

/** A candidate for completion. If the value ends with `/` or `=`, the user continues the word. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/**
 * Formats candidates, one per line, with a tab before the description. Omits values with control
 * characters.
 */
export function candidateLines(candidates: Iterable<Candidate>): string {
  let text = '';
  for (const { value, description } of candidates) {
    if (escapeForTerminal(value) !== value) continue;
    text += description ? `${value}\t${escapeForTerminal(description)}\n` : `${value}\n`;
  }
  return text;
}

export function toCandidates(values: Iterable<string>): Candidate[] {
  return Array.from(values, (value) => ({ value }));
}
