import { entryOfCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { commandLineOf, Hint, hint, type NextStep, step } from '../../kernel/hint.ts';
import { VARIABLES } from '../../kernel/variables.ts';
import { type ServiceFlags, withServiceFlags } from '../hinted-command.ts';

/**
 * What went wrong in the terms of a tool: its fields where the command has flags, the tools where a hint names commands,
 * and no advice that only somebody at a shell could follow.
 */
export function inToolTerms(thrown: SvcError, entry: OperationEntry, options: ServiceFlags): SvcError {
  const error = withServiceFlags(thrown, options);
  const { richHint } = error;
  const inWords = (text: string) => textInToolTerms(text, entry);
  const way =
    richHint instanceof Hint
      ? richHint.parts.map((part) => (typeof part === 'string' ? inWords(part) : stepInToolTerms(part))).join('')
      : richHint && inWords(richHint);
  return error.told({ message: inWords(error.message), hint: way });
}

/** Help is the schema of a tool; lists and repetitions are tools of their own. Everything else is for a shell. */
function stepInToolTerms(step: NextStep): string {
  const { kind, command } = step;
  if (kind === 'help') return "the tool's input schema";
  const called = command.findIndex((word) => word.startsWith('-'));
  const entry = kind === 'list' ? entryOfCommand(command.slice(0, called < 0 ? undefined : called)) : undefined;
  return entry ? toolName(entry.name) : commandLineOf(step);
}

/** `users.add` as `users_add`: not every host takes dots. */
export function toolName(operation: string): string {
  return operation.replace(/\W/g, '_');
}

export function textInToolTerms(text: string, { flags }: OperationEntry): string {
  const fields = new Map(flags.map(({ name, path }) => [name, path.join('.')]));
  return text
    .replace(/--data:(\d+)(:\d+)?/g, 'record $1')
    .replace(/\bstands on line (\d+) already/g, 'stands in record $1 already')
    .replace(/add --all, or go on with/g, 'go on with')
    .replace(/<(\w+)> is required/, '$1 is required')
    .replace(`give it here, or set ${VARIABLES.org} for all commands; `, '')
    .replace(/run the command again/g, 'call the tool again')
    .replace(/--([a-z][a-z-]*)/g, (flag, name) => fields.get(name) ?? (name === 'data' ? 'the data' : flag));
}

/** What a person is asked first, and this host cannot ask its user. */
export function unasked(question: string): SvcError {
  return new SvcError('usage', `${question} Nobody can be asked through this host; nothing was sent.`, {
    hint: 'whoever starts this server can allow what asks first: --allow-writes --yes',
  });
}

export function secretPurpose(command: readonly string[]): SvcError {
  return new SvcError('usage', 'this answers with a secret, which whoever reads this conversation would know', {
    hint: hint`run ${step('show', ...command)} yourself, or start this server with --show-secrets`,
  });
}
