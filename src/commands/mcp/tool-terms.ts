import { findEntryByCommand } from '../../catalog/manifest.ts';
import { commandLineOf, Hint, hint, type NextStep, SvcError, step } from '../../kernel/errors.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';

export function toToolError(thrown: SvcError, options: ServiceFlags): SvcError {
  const error = withServiceFlags(thrown, options);
  const { structuredHint } = error;
  return structuredHint instanceof Hint ? error.reworded({ hint: structuredHint.format(toToolStep) }) : error;
}

/** Formats a step for a host: refers to the input schema instead of help, and to tools instead of list commands. */
function toToolStep(step: NextStep): string {
  const { kind, command } = step;
  if (kind === 'help') return "the tool's input schema";
  const firstFlag = command.findIndex((word) => word.startsWith('-'));
  const entry = kind === 'list' ? findEntryByCommand(command.slice(0, firstFlag < 0 ? undefined : firstFlag)) : undefined;
  return entry ? toolName(entry.name) : commandLineOf(step);
}

export function toolName(operation: string): string {
  return operation.replace(/\W/g, '_');
}

export function cannotAskUserError(question: string): SvcError {
  return new SvcError('usage', `${question} This host cannot ask its user for confirmation; nothing was sent.`, {
    hint: 'to allow operations that need confirmation, start this server with --allow-writes --yes',
  });
}

export function secretWithheldError(command: readonly string[]): SvcError {
  return new SvcError('usage', 'this operation returns a secret, which would be visible in the conversation', {
    hint: hint`run ${step('show', ...command)} yourself, or start this server with --show-secrets`,
  });
}
