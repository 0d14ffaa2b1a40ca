import { findEntryByCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { commandLineOf, Hint, hint, type NextStep, step } from '../../kernel/hint.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';

/**
 * Rewords an error for tools: flags become input fields, commands in hints become tools, and advice that only applies in a
 * shell is removed.
 */
export function toToolError(thrown: SvcError, entry: OperationEntry, options: ServiceFlags): SvcError {
  const error = withServiceFlags(thrown, options);
  const { structuredHint } = error;
  const reword = (text: string) => toToolText(text, entry);
  const rewordedHint =
    structuredHint instanceof Hint
      ? structuredHint.parts.map((part) => (typeof part === 'string' ? reword(part) : toToolStep(part))).join('')
      : structuredHint && reword(structuredHint);
  return error.reworded({ message: reword(error.message), hint: rewordedHint });
}

/** Rewords a step of a hint: help becomes the tool's schema, and list commands become tools. Other steps stay commands. */
function toToolStep(step: NextStep): string {
  const { kind, command } = step;
  if (kind === 'help') return "the tool's input schema";
  const firstFlag = command.findIndex((word) => word.startsWith('-'));
  const entry =
    kind === 'list' ? findEntryByCommand(command.slice(0, firstFlag < 0 ? undefined : firstFlag)) : undefined;
  return entry ? toolName(entry.name) : commandLineOf(step);
}

/** Converts `users.add` to `users_add`, because some hosts do not allow dots. */
export function toolName(operation: string): string {
  return operation.replace(/\W/g, '_');
}

export function toToolText(text: string, { flags }: OperationEntry): string {
  const fields = new Map(flags.map(({ name, path }) => [name, path.join('.')]));
  return text
    .replace(/--data:(\d+)(:\d+)?/g, 'record $1')
    .replace(/\bon line (\d+)\b/g, 'in record $1')
    .replace(/add --all, or continue with/g, 'continue with')
    .replace(/<(\w+)> is required/, '$1 is required')
    .replace(`add --org <id>, or set ${SETTING_VARIABLES.org} for all commands; `, '')
    .replace(/run the command again/g, 'call the tool again')
    .replace(/--([a-z][a-z-]*)/g, (flag, name) => fields.get(name) ?? (name === 'data' ? 'the data' : flag));
}

/** Creates the error for an operation that needs confirmation when the host cannot ask its user. */
export function cannotAskUser(question: string): SvcError {
  return new SvcError('usage', `${question} This host cannot ask its user for confirmation; nothing was sent.`, {
    hint: 'to allow operations that need confirmation, start this server with --allow-writes --yes',
  });
}

export function secretWithheld(command: readonly string[]): SvcError {
  return new SvcError('usage', 'this operation returns a secret, which would be visible in the conversation', {
    hint: hint`run ${step('show', ...command)} yourself, or start this server with --show-secrets`,
  });
}
