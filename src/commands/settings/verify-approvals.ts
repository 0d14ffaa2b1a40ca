import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { throwFileError } from '../../kernel/files.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { readRegularFile } from '../../kernel/read-file.ts';
import { readSigners } from '../../profiles/signers.ts';
import { runSshKeygen } from '../../profiles/ssh-keygen.ts';
import {
  APPROVAL_NAMESPACE,
  APPROVAL_SUFFIX,
  type ApprovalFile,
  findApprovalProblem,
  formatStatement,
  parseApproval,
} from '../../settings/plan/approval.ts';
import type { SavedPlan } from '../../settings/plan/saved-plan.ts';
import type { Context } from '../context.ts';

/**
 * Allows the writes of a plan, if the profile demands approvals and enough different signers
 * approved exactly this plan within 24 hours. Sends nothing.
 * @param findApprovals called only if the profile demands approvals
 * @returns the approvals that were checked
 * @throws SvcError `approval_required` with the reason for each approval that does not count
 */
export async function grantApproved(
  context: Context,
  plan: SavedPlan,
  findApprovals: () => Promise<readonly ApprovalFile[]>,
): Promise<readonly ApprovalFile[]> {
  const required = await context.approvals();
  const isWrite = Object.values(plan.summary).some((count) => count > 0);
  if (!required || !isWrite || context.options.dryRun) return [];
  const { count, signers } = required.rule;
  const { text, sha256 } = await readSigners(signers.path);
  if (sha256 !== signers.sha256)
    throw createApprovalError(
      `the file of signers ${signers.path} has changed since a person saved it in the profile`,
    );
  const files = await findApprovals();
  const { accepted, problems } = await withSignersFile(text, (path) =>
    countSigners(context, plan, { signers: path, files }),
  );
  if (accepted < count) {
    const found = `the plan has ${accepted} of ${formatNounCount(count, 'approval')}`;
    throw createApprovalError([found, ...problems].join('; '));
  }
  required.grant();
  return files;
}

function createApprovalError(problem: string): SvcError {
  return new SvcError('approval_required', `${problem}; nothing was sent`, {
    hint: hint`to read about approvals, run ${step('inspect', 'help', 'approvals')}`,
  });
}

const MAX_APPROVAL_BYTES = 64 * 1024;
const MAX_APPROVALS = 100;

/** Reads the approvals beside a saved plan: `plan.json.<key>.approval`. */
export async function readApprovals(cwd: string, file: string): Promise<readonly ApprovalFile[]> {
  const path = resolve(cwd, file);
  const folder = dirname(path);
  const names = await readdir(folder).catch(throwFileError('read', folder));
  const approvals = names
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(APPROVAL_SUFFIX))
    .toSorted()
    .slice(0, MAX_APPROVALS);
  return Promise.all(
    approvals.map(async (name) => {
      // An empty text is rejected later, like every file that is not an approval.
      const bytes = await readRegularFile(join(folder, name), MAX_APPROVAL_BYTES).catch(() => '');
      return { name, text: bytes.toString() };
    }),
  );
}

async function withSignersFile<Result>(
  text: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-')).catch(
    throwFileError('create a folder in', tmpdir()),
  );
  try {
    const path = join(folder, 'signers');
    await writeFile(path, text, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ApprovalSearch {
  /** Path of the file of allowed signers. */
  readonly signers: string;
  readonly files: readonly ApprovalFile[];
}

/** Counts the different signers of a plan: neither a name nor a key counts twice. */
async function countSigners(
  context: Context,
  plan: SavedPlan,
  { signers, files }: ApprovalSearch,
): Promise<{ readonly accepted: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const known = new Map<string, string>();
  let accepted = 0;
  for (const file of files) {
    const result = await verifyApproval(context, plan, { signers, file });
    if ('problem' in result) {
      problems.push(`${file.name} ${result.problem}`);
      continue;
    }
    const identity = [result.principal, result.fingerprint];
    const earlier = identity.map((each) => known.get(each)).find((name) => name !== undefined);
    if (earlier === undefined) {
      accepted += 1;
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
  context: Context,
  plan: SavedPlan,
  { signers, file }: { readonly signers: string; readonly file: ApprovalFile },
): Promise<Verified> {
  const approval = parseApproval(file.text);
  if (!approval) return { problem: 'is not an approval' };
  const problem = findApprovalProblem(approval, plan, context.clock.now());
  if (problem !== undefined) return { problem };
  const signature = join(dirname(signers), 'signature');
  await writeFile(signature, approval.signature, { mode: 0o600 });
  const files = ['-f', signers, '-s', signature];
  const found = await runSshKeygen(context, ['-Y', 'find-principals', ...files]);
  const [principal = ''] = found.stdout.split('\n');
  if (found.code !== 0 || principal === '') return { problem: 'was not signed by an allowed key' };
  const verify = ['-Y', 'verify', '-n', APPROVAL_NAMESPACE, '-I', principal, ...files];
  const { code, stdout, stderr } = await runSshKeygen(context, verify, {
    stdin: formatStatement(plan, approval.signedAt),
  });
  const fingerprint = / key (SHA256:\S+)\n/.exec(stdout)?.[1];
  if (code === 0 && fingerprint !== undefined) return { principal, fingerprint };
  return { problem: `has no valid signature${describeReason(stderr)}` };
}

/** Returns the reason in the first message of ssh-keygen: `namespace does not match`. */
function describeReason(messages: string): string {
  const reason = /: ([^:\r\n]+)\r?\n/.exec(messages)?.[1];
  return reason === undefined ? '' : ` (${reason})`;
}
