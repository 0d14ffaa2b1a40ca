import type { Command } from 'commander';
import { type NextStep, step } from '../../kernel/errors.ts';

export function commandPath(command: Command): string {
  return ['svc', ...commandWords(command)].join(' ');
}

export function commandWords(command: Command): readonly string[] {
  return command.parent ? [...commandWords(command.parent), command.name()] : [];
}

export function helpStep(command: Command): NextStep {
  return step('help', ...commandWords(command), '--help');
}
