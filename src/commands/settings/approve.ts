import { hint, SvcError, step } from '../../kernel/errors.ts';
import { readNamedFile, resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatDuration } from '../../output/quantities.ts';
import { singlePage } from '../../output/renderer.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import { describeKeyStorage } from '../../profiles/signers.ts';
import {
  describeKey,
  findSigningKey,
  type KeyDescription,
  runSshKeygen,
} from '../../profiles/ssh-keygen.ts';
import { listEnvironments } from '../../settings/file/load-settings.ts';
import { hashFile } from '../../settings/file/read-files.ts';
import { readSettings } from '../../settings/file/read-settings.ts';
import {
  APPROVAL_NAMESPACE,
  APPROVAL_SUFFIX,
  formatStatement,
} from '../../settings/plan/approval.ts';
import { EXPIRED, isExpired, type SavedPlan } from '../../settings/plan/saved-plan.ts';
import { type AnyPlan, isSavedWrite, parsePlanFile } from '../../settings/plan/saved-write.ts';
import { nameSavedTarget, targetNames } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { checkOutputs } from '../outputs/check-outputs.ts';
import { becauseOfCi, canAsk } from '../terminal/terminal.ts';
import { printWrite } from '../write-plans/print-write.ts';
import { checkSavedWrite } from './apply-write.ts';
import { createStalePlanError } from './check-plan.ts';
import type { ApproveFlags } from './flags.ts';
import { nextOfSavedPlan } from './next-commands.ts';
import { isEnvironmentOf } from './open-environment.ts';
import { printPlan } from './print-plan.ts';
import { describeReason } from './verify-approvals.ts';
import { findWaitingPlans, type WaitingPlan } from './waiting-plans.ts';

/**
 * Signs the plan in a file. Without a file, offers the plans of the current folder that wait for an
 * approval, or lists them if no person can choose.
 */
export async function approvePlan(
  context: Context,
  { arguments: [given], options }: Invocation<ApproveFlags>,
): Promise<void> {
  const file = given ?? (await chooseWaitingPlan(context));
  if (file !== undefined) await signPlan(context, file, options);
}

async function chooseWaitingPlan(context: Context): Promise<string | undefined> {
  const waiting = await findWaitingPlans(context);
  if (waiting.length === 0) {
    await context.note(
      hint`no plan in this folder waits for an approval; to save one, run ${step('show', 'plan', '--out', 'plan.json')}`,
    );
    return undefined;
  }
  const isPicked = canAsk(context) && context.io.stdout.isTerminal;
  if (!isPicked || (await context.format()) !== 'table') {
    await printWaitingPlans(context, waiting);
    return undefined;
  }
  const choices = waiting.map(({ file, ...each }) => ({
    value: file,
    description: [
      nameOf(each),
      `saved ${describeAge(context, each)} ago`,
      describeApprovals(each),
    ].join(', '),
  }));
  return (await context.prompter()).pick({ message: 'Plan to approve', choices });
}

const WAITING_COLUMNS = [
  { header: 'PLAN', field: 'file' },
  { header: 'TARGET', field: 'target' },
  { header: 'AGE', field: 'age' },
  { header: 'APPROVALS', field: 'approvals' },
];

async function printWaitingPlans(context: Context, waiting: readonly WaitingPlan[]): Promise<void> {
  const isTable = (await context.format()) === 'table';
  const rows = waiting.map(({ file, ...each }) => {
    const { plan, approvals, required } = each;
    return isTable
      ? {
          file,
          target: nameOf(each),
          age: describeAge(context, each),
          approvals: describeApprovals(each),
        }
      : {
          file,
          target: nameSavedTarget(plan),
          createdAt: plan.createdAt,
          approvals,
          ...optionalProperty('required', required),
        };
  });
  await (await context.printer()).records(singlePage(rows), { columns: WAITING_COLUMNS });
}

type Waiting = Omit<WaitingPlan, 'file'>;

function nameOf({ plan }: Waiting): string {
  return targetNames(nameSavedTarget(plan), settingsFileOf(plan), true).join(' · ');
}

function settingsFileOf(plan: AnyPlan): string {
  return isSavedWrite(plan) ? '' : (plan.names?.file ?? '');
}

function describeAge({ clock }: Context, { plan }: Waiting): string {
  return formatDuration(Math.max(0, clock.now() - Date.parse(plan.createdAt)) / 1000);
}

function describeApprovals({ approvals, required }: Waiting): string {
  if (required === undefined) return formatNounCount(approvals, 'approval');
  return `${approvals} of ${formatNounCount(required, 'approval')}`;
}

/**
 * Shows a saved plan in full, asks for the name of its target, and signs the plan with the user's SSH
 * key. Needs neither a connection nor credentials.
 * @throws SvcError `usage` without a terminal, or if the typed name is a different one; `stale_plan` if
 * the plan is too old to be applied
 */
async function signPlan(context: Context, file: string, options: ApproveFlags): Promise<void> {
  const { cwd, signal, clock } = context;
  const text = (await readNamedFile(file, cwd, { signal, onlyRegular: true })).toString();
  const plan = await parsePlanFile(text, file);
  if (isSavedWrite(plan)) await checkSavedWrite(context, { plan, file });
  else if (isExpired(plan, clock.now())) throw createStalePlanError(plan, file, EXPIRED);
  if (!canAsk(context))
    throw new SvcError(
      'usage',
      `a person must approve a plan on a terminal${becauseOfCi(context)}; nothing was signed`,
    );
  const path = await findSigningKey(context, options.key);
  const key = await describeKey(context, path);
  if (!key) throw new SvcError('usage', `${path} is not an SSH key; nothing was signed`);
  const target = nameSavedTarget(plan);
  if (isSavedWrite(plan)) await printWrite(context, plan, { target, isComplete: true });
  else
    await printPlan(context, plan, file, {
      purpose: 'approval',
      target,
      settingsFile: plan.names?.file ?? file,
    });
  await askForTarget(context, plan);
  const approvalFile = `${file}.${labelOf(key)}${APPROVAL_SUFFIX}`;
  const signedAt = new Date(clock.now()).toISOString();
  await checkOutputs(context, {
    inputs: [file, path].map((name) => ({ name, file: name })),
    outputs: [{ name: 'the approval', file: approvalFile, use: 'approval' }],
  });
  const statement = formatStatement(plan, signedAt);
  const signature = await sign(context, path, key, statement);
  await writeOutputFile(resolveOutputPath(approvalFile, cwd), statement + signature, {
    signal,
    mode: 0o644,
  });
  const { keyType, fingerprint } = key;
  await context.note(
    `Saved the approval in ${approvalFile}, signed with the ${keyType} key ${fingerprint} (${describeKeyStorage(keyType)})`,
  );
  const { apply } = await nextOfSavedPlan(context, plan, file, { isApproved: true });
  if (apply !== undefined) await context.note(`with all approvals beside the plan: ${apply}`);
}

/** Attempts to type the name of the target. */
const ATTEMPTS = 3;

/**
 * Asks for the host of the target, or for the environment that the settings file maps to it. Does
 * not accept the environment and profile in the plan itself, because its author chose them.
 */
async function askForTarget(context: Context, plan: AnyPlan): Promise<void> {
  const { url } = plan.target;
  const host = URL.parse(url)?.host ?? url;
  const environment = isSavedWrite(plan) ? undefined : await findPlanEnvironment(context, plan);
  const names = environment === undefined ? [host] : [host, environment];
  const prompter = await context.prompter();
  const message = `Your approval lets others apply these changes to ${host}. Type ${names.join(' or ')} to approve`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (names.includes((await prompter.text({ message })).trim())) return;
    if (attempt < ATTEMPTS)
      await context.note(`the typed name is not ${names.join(' or ')}; try again`);
  }
  throw new SvcError('usage', 'the typed name does not match the target; nothing was signed');
}

async function sign(
  context: Context,
  path: string,
  { keyType }: KeyDescription,
  statement: string,
): Promise<string> {
  // ssh-keygen asks for a passphrase on the terminal, but for a touch in its messages.
  if (keyType.endsWith('-SK')) await context.note('touch the security key to sign');
  const words = ['-Y', 'sign', '-n', APPROVAL_NAMESPACE, '-f', path];
  const { code, stdout, stderr } = await runSshKeygen(context, words, { stdin: statement });
  if (code === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return stdout;
  throw new SvcError(
    'approval_required',
    `ssh-keygen did not sign with ${path}${describeReason(stderr)}`,
  );
}

/** Shortens a fingerprint to a part of a file name. */
function labelOf({ fingerprint }: KeyDescription): string {
  return fingerprint.replace('SHA256:', '').slice(0, 8).replaceAll('/', '_').replaceAll('+', '-');
}

/**
 * Returns the environment of a saved plan, if the settings file on this machine is the one that the
 * plan was made from, and maps the environment to the target of the plan.
 */
async function findPlanEnvironment(
  context: Context,
  { environment, names, files, target }: SavedPlan,
): Promise<string | undefined> {
  if (environment === null || !names) return undefined;
  const { cwd, signal, io, folders } = context;
  try {
    for (const { path, sha256 } of files)
      if ((await hashFile(path, cwd, signal)).sha256 !== sha256) return undefined;
    const request = { file: names.file, environment, cwd, stdin: io.stdin, signal };
    const { fields } = await readSettings(request);
    const declared = listEnvironments(fields.environments).find(({ name }) => name === environment);
    const { profiles } = await readProfiles(folders);
    const saved = profiles.get(declared?.profile ?? '');
    return declared && isEnvironmentOf(declared, saved, target) ? environment : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    return undefined;
  }
}
