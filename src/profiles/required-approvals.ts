import { isAbsolute } from 'node:path';
import { SvcError } from '../kernel/errors.ts';

/** A file of allowed signers, as it was when a person saved it in the profile. */
export interface SignersFile {
  /** Absolute path. */
  readonly path: string;
  readonly sha256: string;
  /** Absolute path of the `ssh-keygen` that verifies the signatures; absent in older profiles. */
  readonly sshKeygen?: string;
}

/** The approvals that a plan needs before svc applies it. */
export interface ApprovalRule {
  /** Number of different signers. */
  readonly count: number;
  readonly signers: SignersFile;
}

/** The rule of a profile, if it has one. */
interface SavedRule {
  readonly approvals?: number | undefined;
  readonly signers?: SignersFile | undefined;
}

/** A rule, and the profile that it comes from. */
export interface ProfileRule {
  readonly rule: ApprovalRule;
  readonly profile: string;
}

/**
 * Combines the rules of several profiles, the strictest first. Of rules with the same signers, only
 * the strictest one counts. Rules with different signers all count: otherwise, a second profile with
 * signers of its own would replace the rule of the first one.
 */
export function combineRules(
  profiles: readonly (readonly [name: string, SavedRule])[],
): readonly ProfileRule[] {
  const rules = profiles
    .flatMap(([profile, { approvals: count, signers }]) =>
      count === undefined || !signers ? [] : [{ rule: { count, signers }, profile }],
    )
    .toSorted((a, b) => b.rule.count - a.rule.count);
  const signersOf = ({ rule }: ProfileRule) => rule.signers.sha256;
  return rules.filter(
    (rule, at) => rules.findIndex((other) => signersOf(other) === signersOf(rule)) === at,
  );
}

/**
 * Checks the approvals of a saved profile. A damaged rule never counts as none.
 * @throws SvcError `usage`
 */
export function checkApprovals(
  { approvals, signers }: { readonly approvals?: unknown; readonly signers?: unknown },
  name: string,
): void {
  if (approvals === undefined && signers === undefined) return;
  if (!Number.isSafeInteger(approvals) || Number(approvals) < 1) {
    const problem = `must be a whole number of at least 1, got ${JSON.stringify(approvals)}`;
    throw new SvcError('usage', `profile '${name}': approvals ${problem}`);
  }
  const { path, sha256, sshKeygen = '/' } = Object(signers);
  if (typeof path !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new SvcError('usage', `profile '${name}': signers must have a path and a sha256`);
  if (typeof sshKeygen !== 'string' || !isAbsolute(sshKeygen))
    throw new SvcError('usage', `profile '${name}': signers.sshKeygen must be an absolute path`);
}
