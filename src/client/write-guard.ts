import type { Operation } from '../catalog/define.ts';
import { isHarmless } from '../catalog/harmless.ts';
import { hint, SvcError, step } from '../kernel/errors.ts';

/** A target that svc may only read. */
export interface ReadOnly {
  /** Name of the target, at the start of a sentence: `api.example.com`. */
  readonly subject: string;
  /** The settings that make it read-only: `profile 'prod'`, `SVC_READ_ONLY`. */
  readonly sources: readonly string[];
}

type Effects = Pick<Operation, 'effect' | 'issuesCredential' | 'revealsSecrets'> & {
  readonly command?: readonly string[];
  readonly path?: string;
};

/** @throws SvcError `read_only` if the target is read-only and the operation is not harmless */
export function assertAllowed(readOnly: ReadOnly | undefined, operation: Effects): void {
  if (readOnly === undefined || isHarmless(operation)) return;
  const { effect, command, path = 'this command' } = operation;
  const name = command ? `'${command.join(' ')}'` : path;
  throw createReadOnlyError(
    readOnly,
    `${name} ${effect === 'read' ? 'hands out a secret' : 'writes'}`,
  );
}

/** @param problem the reason of the refusal: `this command writes` */
export function createReadOnlyError({ subject, sources }: ReadOnly, problem: string): SvcError {
  return new SvcError(
    'read_only',
    `${subject} is read-only (set by ${formatList(sources)}), and ${problem}; nothing was sent`,
    { hint: hint`to read about read-only access, run ${step('inspect', 'help', 'read-only')}` },
  );
}

function formatList(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items);
}
