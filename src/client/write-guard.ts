import type { Operation } from '../catalog/define.ts';
import { isHarmless } from '../catalog/harmless.ts';
import { type Hint, hint, type NextStep, SvcError, step } from '../kernel/errors.ts';

/** A target that svc may only read. */
export interface ReadOnly {
  /** Name of the target, at the start of a sentence: `api.example.com`. */
  readonly subject: string;
  /** The settings that make it read-only: `profile 'prod'`, `SVC_READ_ONLY`. */
  readonly sources: readonly string[];
}

/** A target that accepts no writes except those of an approved plan. */
export interface RequiredApprovals extends ReadOnly {
  /** Whether the command makes the changes of a plan with enough approvals. */
  readonly isGranted: () => boolean;
}

/** The settings that keep svc from writing to a target. */
export interface Protections {
  readonly readOnly?: ReadOnly | undefined;
  readonly approvals?: RequiredApprovals | undefined;
}

export type Effects = Pick<Operation, 'effect' | 'issuesCredential' | 'revealsSecrets'> & {
  readonly command?: readonly string[];
  readonly path?: string;
};

/**
 * Refuses an operation that is not harmless.
 * @param advice what to do instead, for the error
 * @throws SvcError `read_only` if the target is read-only, `approval_required` if it accepts only
 * approved plans
 */
export function assertAllowed(
  protections: Protections,
  operation: Effects,
  advice?: Hint | string,
): void {
  if (isHarmless(operation)) return;
  const { effect, revealsSecrets, command, path = 'this command' } = operation;
  const name = command ? `'${command.join(' ')}'` : path;
  const error = findProtectionError(
    protections,
    `${name} ${revealsSecrets || effect === 'read' ? 'hands out a secret' : 'writes'}`,
    revealsSecrets
      ? 'no plan contains a secret: run this command on a machine whose profile of the target demands no approvals'
      : advice,
  );
  if (error) throw error;
}

/**
 * Returns the error of the first protection that applies; undefined otherwise.
 * @param problem the reason of the refusal: `this command writes`
 */
export function findProtectionError(
  { readOnly, approvals }: Protections,
  problem: string,
  advice?: Hint | string,
): SvcError | undefined {
  if (readOnly) return createReadOnlyError(readOnly, problem);
  return approvals && !approvals.isGranted()
    ? createApprovalError(approvals, problem, advice)
    : undefined;
}

/** Advises to save a plan in place of a command that was refused. */
export function createPlanAdvice(save: NextStep): Hint {
  return hint`to save a plan that others can approve, run ${save}`;
}

function createReadOnlyError({ subject, sources }: ReadOnly, problem: string): SvcError {
  return new SvcError(
    'read_only',
    `${subject} is read-only (set by ${formatList(sources)}), and ${problem}; nothing was sent`,
    { hint: hint`to read about read-only access, run ${step('inspect', 'help', 'read-only')}` },
  );
}

function createApprovalError(
  { subject, sources }: ReadOnly,
  problem: string,
  advice: Hint | string | undefined,
): SvcError {
  const about = step('inspect', 'help', 'approvals');
  return new SvcError(
    'approval_required',
    `${subject} accepts only approved plans (set by ${formatList(sources)}), and ${problem}; nothing was sent`,
    {
      hint: hint`${advice ? hint`${advice}; ` : ''}to read about approvals, run ${about}`,
    },
  );
}

function formatList(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items);
}
