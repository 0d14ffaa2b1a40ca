import { SvcError } from '../kernel/errors.ts';
import type { Environment } from '../kernel/folders.ts';
import { SWITCH_VARIABLES } from '../kernel/variables.ts';
import type { FolderFiles, ReadOnlySource } from './folder-file.ts';

const VARIABLE = SWITCH_VARIABLES.readOnly;
const VALUES = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

/**
 * Lists the settings outside of a profile that make targets read-only: the environment, and the
 * `.svc.json` files of the folder and its parents. No setting turns another one off.
 * @throws SvcError `usage` for an unknown value
 */
export function listReadOnlySources(
  environment: Environment,
  { readOnly }: FolderFiles,
): readonly ReadOnlySource[] {
  return parseReadOnlyVariable(environment)
    ? [{ source: VARIABLE, scope: 'all' }, ...readOnly]
    : readOnly;
}

function parseReadOnlyVariable(environment: Environment): boolean {
  const text = environment[VARIABLE];
  if (text === undefined || text === '') return false;
  const value = VALUES.get(text);
  if (value !== undefined) return value;
  throw new SvcError('usage', `${VARIABLE} must be 1, 0, true, or false, got '${text}'`);
}

/** @throws SvcError `usage` if a value is neither a boolean nor undefined */
export function checkReadOnly(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new SvcError('usage', `${name} must be true or false, got ${JSON.stringify(value)}`);
}
