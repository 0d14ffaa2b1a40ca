import type { Protections } from '../client/write-guard.ts';
import { commandLineOf, step } from '../kernel/errors.ts';
import type { Environment } from '../kernel/folders.ts';
import { isSwitchedOn } from '../kernel/log-commands.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import type { CommandEnvironment } from './context.ts';
import { commandForService, type ServiceFlags } from './service-flags.ts';

/** Command lines to run next, by what they do. */
export type NextCommands = Readonly<Record<string, string>>;

export function renderNext(next: NextCommands): string {
  return Object.entries(next)
    .map(([purpose, command]) => escapeForTerminal(`${purpose}: ${command}`))
    .map((line) => `${line}\n`)
    .join('');
}

/** Signing a plan needs no connection, so the command names no target. */
export function approveCommand(file: string): NextCommands {
  return { approve: commandLineOf(step('inspect', 'approve', file)) };
}

/** The environment variables and options that the next commands of a plan depend on. */
export type PlanningCommand = Pick<CommandEnvironment, 'environment' | 'options'>;

/** Returns the command that applies a plan. In CI, where svc never asks, it confirms the plan. */
export function applyCommand(
  environment: Environment,
  options: ServiceFlags,
  ...words: readonly string[]
): string {
  const confirmed = isSwitchedOn(environment['CI']) ? ['--yes'] : [];
  return commandForService(options, 'apply', ...words, ...confirmed);
}

/** Returns the command that approves or applies a saved plan; none for a read-only target. */
export function nextOfPlanFile(
  { environment, options }: PlanningCommand,
  { readOnly, approvals }: Protections,
  file: string,
): NextCommands {
  if (readOnly) return {};
  return approvals ? approveCommand(file) : { apply: applyCommand(environment, options, file) };
}
