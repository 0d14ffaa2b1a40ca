import { SvcError } from '../../kernel/errors.ts';
import { readNamedFile, resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { describeKeyStorage } from '../../profiles/signers.ts';
import {
  describeKey,
  findSigningKey,
  type KeyDescription,
  runSshKeygen,
} from '../../profiles/ssh-keygen.ts';
import {
  APPROVAL_NAMESPACE,
  APPROVAL_SUFFIX,
  formatStatement,
} from '../../settings/plan/approval.ts';
import {
  EXPIRED,
  isExpired,
  parseSavedPlan,
  type SavedPlan,
} from '../../settings/plan/saved-plan.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { checkOutputs } from '../outputs/check-outputs.ts';
import { canAsk } from '../terminal/terminal.ts';
import { createStalePlanError } from './check-plan.ts';
import type { ApproveFlags } from './flags.ts';
import { nextOfSavedPlan } from './next-commands.ts';
import { printPlan } from './print-plan.ts';

/**
 * Shows a saved plan in full, asks for the name of its target, and signs the plan with the user's SSH
 * key. Needs neither a connection nor credentials.
 * @throws SvcError `usage` without a terminal, or if the typed name is another one; `stale_plan` if
 * the plan is too old to be applied
 */
export async function approvePlan(
  context: Context,
  { arguments: [file = ''], options }: Invocation<ApproveFlags>,
): Promise<void> {
  const { cwd, signal, clock } = context;
  const text = (await readNamedFile(file, cwd, { signal, onlyRegular: true })).toString();
  const plan = await parseSavedPlan(text, file);
  if (isExpired(plan, clock.now())) throw createStalePlanError(plan, file, EXPIRED);
  if (!canAsk(context))
    throw new SvcError('usage', 'a person must approve a plan on a terminal; nothing was signed');
  const path = await findSigningKey(context, options.key);
  const key = await describeKey(context, path);
  if (!key) throw new SvcError('usage', `${path} is not an SSH key; nothing was signed`);
  const { environment, profile } = plan;
  const target = { ...plan.target, environment, profile };
  await printPlan(context, plan, file, { purpose: 'approval', target });
  await askForTarget(context, plan);
  const approvalFile = `${file}.${labelOf(key)}${APPROVAL_SUFFIX}`;
  const signedAt = new Date(clock.now()).toISOString();
  await checkOutputs(context, {
    inputs: [file, path].map((name) => ({ name, file: name })),
    outputs: [{ name: 'the approval', file: approvalFile, use: 'approval' }],
  });
  const statement = formatStatement(plan, signedAt);
  const signature = await sign(context, path, statement);
  await writeOutputFile(resolveOutputPath(approvalFile, cwd), statement + signature, {
    signal,
    mode: 0o644,
  });
  const { keyType, fingerprint } = key;
  await context.note(
    `saved the approval in ${approvalFile}, signed with the ${keyType} key ${fingerprint} (${describeKeyStorage(keyType)})`,
  );
  const { apply } = await nextOfSavedPlan(context, plan, file, { isApproved: true });
  if (apply !== undefined) await context.note(`with all approvals beside the plan: ${apply}`);
}

/** Attempts to type the host. */
const ATTEMPTS = 3;

/**
 * Asks for the host of the target. The environment and profile that a plan names are words that its
 * author chose.
 */
async function askForTarget(context: Context, { target: { url } }: SavedPlan): Promise<void> {
  const host = URL.parse(url)?.host ?? url;
  const prompter = await context.prompter();
  const message = `Your approval lets others apply these changes to ${host}. Type ${host} to approve`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if ((await prompter.text({ message })).trim() === host) return;
    if (attempt < ATTEMPTS) await context.note(`the typed name is not ${host}; try again`);
  }
  throw new SvcError('usage', 'the typed name does not match the target; nothing was signed');
}

async function sign(context: Context, key: string, statement: string): Promise<string> {
  const words = ['-Y', 'sign', '-n', APPROVAL_NAMESPACE, '-f', key];
  const { code, stdout } = await runSshKeygen(context, words, {
    stdin: statement,
    showsMessages: true,
  });
  if (code === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return stdout;
  throw new SvcError('approval_required', `ssh-keygen did not sign with ${key}`);
}

/** Shortens a fingerprint to a part of a file name. */
function labelOf({ fingerprint }: KeyDescription): string {
  return fingerprint.replace('SHA256:', '').slice(0, 8).replaceAll('/', '_').replaceAll('+', '-');
}
