import type { State } from '../../catalog/state.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { createFindingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';

export interface ImportedState {
  readonly name: string;
  readonly state: State;
  readonly positionOf: (path: readonly PropertyKey[]) => Promise<string>;
}

export function createStateError(
  context: Context,
  name: string,
  problems: readonly string[],
): Promise<SvcError> {
  const hint = 'nothing was written; fix the file and import it again';
  const found = { findings: problems, findingCount: problems.length };
  return createFindingsError(context, found, {
    failure: 'invalid_input',
    name,
    part: 'its records',
    hint,
  });
}
