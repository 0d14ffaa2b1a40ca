import type { SavedPlan } from './saved-plan.ts';

/** A file with an approval, as read: its name, for messages, and its text. */
export interface ApprovalFile {
  readonly name: string;
  readonly text: string;
}

/** An approval of a plan by one signer. */
export interface Approval {
  /** Digest of the plan. */
  readonly plan: string;
  /** Time of the signature, as the signer states it: RFC 3339. */
  readonly signedAt: string;
  /** Armored SSH signature of the statement. */
  readonly signature: string;
}

/** Namespace of the signatures, so that a signature for another purpose is not an approval. */
export const APPROVAL_NAMESPACE = 'svc-plan';

export const APPROVAL_SUFFIX = '.approval';

type ApprovedPlan = Pick<SavedPlan, 'sha256' | 'target'>;

/**
 * Formats what a signer signs: the digest of the plan, its target, and the time. The signature
 * covers exactly these bytes.
 */
export function formatStatement({ sha256, target }: ApprovedPlan, signedAt: string): string {
  const lines = [
    'Approval of a plan by svc',
    `plan: sha256 ${sha256}`,
    `target: ${JSON.stringify(target.url)}`,
    `signed: ${signedAt}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const APPROVAL =
  /^Approval of a plan by svc\nplan: sha256 (?<plan>[0-9a-f]{64})\ntarget: .*\nsigned: (?<signedAt>\S+)\n(?<signature>-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]+-----END SSH SIGNATURE-----\n?)$/;

/** Parses the text of an approval: its statement, and then the signature. */
export function parseApproval(text: string): Approval | undefined {
  const { plan, signedAt, signature } = APPROVAL.exec(text.replaceAll('\r\n', '\n'))?.groups ?? {};
  return plan && signedAt && signature ? { plan, signedAt, signature } : undefined;
}

const MAX_AGE = 24 * 60 * 60 * 1000;
/** Difference between the clocks of two machines that svc tolerates, in milliseconds. */
const MAX_SKEW = 5 * 60 * 1000;

/** Returns why an approval does not apply to a plan now without regard to its signer. */
export function findApprovalProblem(
  { plan, signedAt }: Approval,
  { sha256 }: ApprovedPlan,
  now: number,
): string | undefined {
  if (plan !== sha256) return 'approves another plan';
  const age = now - Date.parse(signedAt);
  if (age < -MAX_SKEW) return 'was signed in the future';
  return age <= MAX_AGE ? undefined : 'is older than 24 hours';
}
