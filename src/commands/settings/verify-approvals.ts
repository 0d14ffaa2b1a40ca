import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { throwFileError } from '../../kernel/files.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { readRegularFile } from '../../kernel/read-file.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { createTemporaryFolder } from '../../kernel/temporary.ts';
import type { ApprovalRule } from '../../profiles/required-approvals.ts';
import { readSigners } from '../../profiles/signers.ts';
import { findSshKeygen, runSshKeygen } from '../../profiles/ssh-keygen.ts';
import {
  APPROVAL_NAMESPACE,
  APPROVAL_SUFFIX,
  type ApprovalFile,
  findApprovalProblem,
  formatStatement,
  parseApproval,
} from '../../settings/plan/approval.ts';
import { type AnyPlan, hasAnyWrites } from '../../settings/plan/saved-write.ts';
import type { Context, ProcessEnvironment } from '../context.ts';

/** The approvals that a plan was applied with. */
export interface CheckedApprovals {
  readonly files: readonly ApprovalFile[];
  /** Names of the signers. */
  readonly approvedBy: readonly string[];
}

export const NO_APPROVALS: CheckedApprovals = { files: [], approvedBy: [] };

/** Most reasons of approvals that do not count in one message. */
const MAX_PROBLEMS = 5;

/**
 * Allows the writes of a plan, if the profile demands approvals and enough different signers
 * approved exactly this plan within 24 hours. Sends nothing.
 * @param findApprovals called only if the profile demands approvals
 * @throws SvcError `approval_required` with the reasons why approvals do not count
 */
export async function grantApproved(
  context: Context,
  plan: AnyPlan,
  findApprovals: () => Promise<readonly ApprovalFile[]>,
): Promise<CheckedApprovals> {
  const required = await context.approvals();
  if (!required || !hasAnyWrites(plan) || context.options.dryRun) return NO_APPROVALS;
  const files = await findApprovals();
  const accepted = new Map<string, AcceptedApproval>();
  for (const rule of required.rules)
    for (const approval of await requireApprovals(context, plan, files, rule))
      accepted.set(approval.file.name, approval);
  required.grant();
  const approvals = [...accepted.values()];
  const approvedBy = approvals.map(({ principal }) => principal);
  context.activity.approvedBy = approvedBy;
  return { files: approvals.map(({ file }) => file), approvedBy };
}

/** @throws SvcError `approval_required` without enough approvals */
async function requireApprovals(
  context: ProcessEnvironment,
  plan: AnyPlan,
  files: readonly ApprovalFile[],
  { count, signers }: ApprovalRule,
): Promise<readonly AcceptedApproval[]> {
  const { text, sha256 } = await readSigners(signers.path);
  if (sha256 !== signers.sha256)
    throw createApprovalError(
      `the file of signers ${signers.path} has changed since a person saved it in the profile`,
    );
  const program = signers.sshKeygen ?? (await findSshKeygen(context));
  const { accepted, problems } = await withSignersFile(text, (path) =>
    findDifferentSigners(context, plan, { signers: path, program, files, count }),
  );
  if (accepted.length < count) {
    const found = `the plan has ${accepted.length} of ${formatNounCount(count, 'approval')} by the signers in ${signers.path}`;
    const others = problems.length - MAX_PROBLEMS;
    const more =
      others > 0 ? [`${formatNounCount(others, 'more file')} without a valid approval`] : [];
    throw createApprovalError([found, ...problems.slice(0, MAX_PROBLEMS), ...more].join('; '));
  }
  return accepted;
}

/**
 * Counts the approvals of a plan: those of allowed signers, or all that are for exactly this plan if
 * no signers are known.
 */
export async function countApprovals(
  context: ProcessEnvironment,
  plan: AnyPlan,
  files: readonly ApprovalFile[],
  signers: ApprovalRule['signers'] | undefined,
): Promise<number> {
  if (!signers) {
    const now = context.clock.now();
    const isValid = ({ text }: ApprovalFile) => {
      const approval = parseApproval(text);
      return approval !== undefined && findApprovalProblem(approval, plan, now) === undefined;
    };
    return files.filter(isValid).length;
  }
  const { text } = await readSigners(signers.path);
  const program = signers.sshKeygen ?? (await findSshKeygen(context));
  const { accepted } = await withSignersFile(text, (path) =>
    findDifferentSigners(context, plan, { signers: path, program, files, count: files.length }),
  );
  return accepted.length;
}

function createApprovalError(problem: string): SvcError {
  return new SvcError('approval_required', `${problem}; nothing was sent`, {
    hint: hint`to list the plans that wait for approvals, run ${step('inspect', 'approve')}; to read about approvals, run ${step('inspect', 'help', 'approvals')}`,
  });
}

const MAX_APPROVAL_BYTES = 64 * 1024;

/** Reads the approvals beside a saved plan: `plan.json.<key>.approval`. */
export async function readApprovals(cwd: string, file: string): Promise<readonly ApprovalFile[]> {
  const path = resolve(cwd, file);
  const folder = dirname(path);
  const names = await readdir(folder).catch(throwFileError('read', folder));
  const approvals = names
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(APPROVAL_SUFFIX))
    .toSorted();
  // One after the other: anyone who can write to the folder can add files.
  return Array.fromAsync(approvals, async (name) => {
    // An empty text is rejected later, like every file that is not an approval.
    const bytes = await readRegularFile(join(folder, name), MAX_APPROVAL_BYTES).catch(() => '');
    return { name, text: bytes.toString() };
  });
}

async function withSignersFile<Result>(
  text: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  return closeAfter(await createTemporaryFolder(), async (folder) => {
    const path = join(folder.path, 'signers');
    await writeFile(path, text, { mode: 0o600 });
    return work(path);
  });
}

interface ApprovalSearch {
  /** Path of the file of allowed signers. */
  readonly signers: string;
  /** Path of ssh-keygen. */
  readonly program: string;
  readonly files: readonly ApprovalFile[];
  /** Number of signers to find. */
  readonly count: number;
}

interface AcceptedApproval {
  readonly file: ApprovalFile;
  readonly principal: string;
}

/**
 * Finds different signers of a plan. Neither a key nor a name counts twice, and names that differ
 * only in case are the same.
 */
async function findDifferentSigners(
  context: ProcessEnvironment,
  plan: AnyPlan,
  { files, count, ...search }: ApprovalSearch,
) {
  const problems: string[] = [];
  const known = new Map<string, string>();
  const accepted: AcceptedApproval[] = [];
  for (const file of files) {
    if (accepted.length === count) break;
    const result = await verifyApproval(context, plan, { ...search, file });
    if ('problem' in result) {
      problems.push(`${file.name} ${result.problem}`);
      continue;
    }
    const { principal, fingerprint } = result;
    const identity = [principal.normalize('NFKC').toLowerCase(), fingerprint];
    const earlier = identity.map((each) => known.get(each)).find((name) => name !== undefined);
    if (earlier === undefined) {
      accepted.push({ file, principal });
      for (const each of identity) known.set(each, file.name);
    } else problems.push(`${file.name} is by the same signer as ${earlier}`);
  }
  return { accepted, problems };
}

type Verified =
  | { readonly principal: string; readonly fingerprint: string }
  | { readonly problem: string };

/** Verifies the signature of one approval with OpenSSH. */
async function verifyApproval(
  context: ProcessEnvironment,
  plan: AnyPlan,
  {
    signers,
    program,
    file,
  }: { readonly signers: string; readonly program: string; readonly file: ApprovalFile },
): Promise<Verified> {
  const approval = parseApproval(file.text);
  if (!approval) return { problem: 'is not an approval' };
  const problem = findApprovalProblem(approval, plan, context.clock.now());
  if (problem !== undefined) return { problem };
  const signature = join(dirname(signers), 'signature');
  await writeFile(signature, approval.signature, { mode: 0o600 });
  const files = ['-f', signers, '-s', signature];
  const found = await runSshKeygen(context, ['-Y', 'find-principals', ...files], { program });
  const [principal = ''] = found.stdout.split('\n');
  if (found.code !== 0 || principal === '') return { problem: 'was not signed by an allowed key' };
  const verify = ['-Y', 'verify', '-n', APPROVAL_NAMESPACE, '-I', principal, ...files];
  const { code, stdout, stderr } = await runSshKeygen(context, verify, {
    program,
    stdin: formatStatement(plan, approval.signedAt),
  });
  const fingerprint = / key (SHA256:\S+)\n/.exec(stdout)?.[1];
  if (code === 0 && fingerprint !== undefined) return { principal, fingerprint };
  return { problem: `has no valid signature${describeReason(stderr)}` };
}

/** Returns the reason in the first message of ssh-keygen: ` (namespace does not match)`. */
export function describeReason(messages: string): string {
  const reason = /: ([^:\r\n]+)\r?\n/.exec(messages)?.[1];
  return reason === undefined ? '' : ` (${reason})`;
}
