import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { VARIABLES } from '../../kernel/variables.ts';

/**
 * What went wrong in the terms of a tool: its fields where the command has flags, and no advice that only somebody at a
 * shell could follow.
 */
export function inToolTerms(error: SvcError, entry: OperationEntry): SvcError {
  const hint = error.hint && textInToolTerms(error.hint, entry);
  return error.told({ message: textInToolTerms(error.message, entry), hint });
}

export function textInToolTerms(text: string, { flags }: OperationEntry): string {
  const fields = new Map(flags.map(({ name, path }) => [name, path.join('.')]));
  return text
    .replace(/--data:(\d+)(:\d+)?/g, 'record $1')
    .replace(/\bstands on line (\d+) already/g, 'stands in record $1 already')
    .replace(/add --all, or go on with/g, 'go on with')
    .replace(/<(\w+)> is required/, '$1 is required')
    .replace(`give it here, or set ${VARIABLES.org} for all commands; `, '')
    .replace(/see svc [\w -]+ --help/g, "see the tool's input schema")
    .replace(/run the command again/g, 'call the tool again')
    .replace(/--([a-z][a-z-]*)/g, (flag, name) => fields.get(name) ?? (name === 'data' ? 'the data' : flag));
}

/** What a person is asked first, and this host cannot ask its user. */
export function unasked(question: string): SvcError {
  return new SvcError('usage', `${question} Nobody can be asked through this host; nothing was sent.`, {
    hint: 'whoever starts svc mcp can allow what asks first: --allow-writes --yes',
  });
}

export function secretPurpose(command: readonly string[]): SvcError {
  return new SvcError('usage', 'this answers with a secret, which whoever reads this conversation would know', {
    hint: `run svc ${command.join(' ')} yourself, or start svc mcp with --show-secrets`,
  });
}
