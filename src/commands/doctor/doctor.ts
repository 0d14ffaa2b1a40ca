import { AttemptTimeoutError, withTimeLimit } from '../../client/time-limit.ts';
import { hint, SvcError } from '../../kernel/errors.ts';
import { type Environment, withFolderHint } from '../../kernel/folders.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { renderFieldList } from '../../output/field-list.ts';
import type { Printer } from '../../output/printer.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import type { ApprovalRule } from '../../profiles/required-approvals.ts';
import { describeKeyStorage, readSigners } from '../../profiles/signers.ts';
import { describeKey, findSigningKey } from '../../profiles/ssh-keygen.ts';
import { type Connection, connect } from '../connection/connect.ts';
import { isForbidden } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { renderHint } from '../service-flags.ts';
import { createMarks } from '../terminal/marks.ts';
import { withSpinner } from '../terminal/spinner.ts';
import { createCallChecks } from './calls.ts';
import {
  type Check,
  type CheckResult,
  type DoctorFinding,
  fail,
  info,
  resultOfError,
  skipped,
  skippedBecause,
} from './check.ts';
import { createMachineChecks } from './machine.ts';
import { createNetworkChecks } from './network.ts';

/** Prints the findings. @throws SvcError of the first failed check */
export async function doctorCommand(
  context: Context,
  { options }: Invocation<{ readonly org?: string | undefined }>,
) {
  if (context.options.dryRun) {
    const hint = 'run it without --dry-run';
    throw new SvcError('usage', 'doctor does not support --dry-run, because it changes nothing', {
      hint,
    });
  }
  if (options.org !== undefined) parseOrganization(options.org, '--org');
  const printer = await openPrinter(context);
  const results = await withSpinner(context, 'doctor: checking', () =>
    runAllChecks(context, options.org),
  );
  const findings: readonly DoctorFinding[] = await Promise.all(
    results.map(async ({ failure: _, blockedBy: __, fix, ...finding }) => {
      const shown = fix && !(await isForbidden(context, fix)) && renderHint(context.options, fix);
      return { ...finding, ...optionalProperty('fix', shown || undefined) };
    }),
  );
  await printer.value(findings, {
    renderText: (view) => formatChecklist(findings, view, context.environment),
  });
  const failed = results.filter(({ state }) => state === 'fail');
  const [first] = failed;
  if (!first) return;
  const names = failed.map(({ name }) => name).join(', ');
  const message = `${failed.length} of ${formatNounCount(results.length, 'check')} failed: ${names}`;
  const fix = first.fix && hint`${first.name}: ${first.fix}`;
  throw new SvcError(first.failure ?? 'bug', message, optionalProperty('hint', fix));
}

/**
 * Creates a printer, even if the settings cannot be read. The profile check reports the problem
 * with the settings.
 */
async function openPrinter(context: Context): Promise<Printer> {
  const { options } = context;
  const hasFormatFlag = options.output !== undefined || options.jq !== undefined;
  if (hasFormatFlag || (await context.format().catch(() => undefined))) return context.printer();
  return context.reopen({ options: { ...options, output: 'table' } }).context.printer();
}

async function runAllChecks(
  context: Context,
  org: string | undefined,
): Promise<readonly NamedResult[]> {
  const finished = new AbortController();
  const quickContext = withShortTimeouts(context, finished.signal);
  let connection: Promise<Connection> | undefined;
  const client = async () => {
    connection ??= connect(quickContext);
    return (await connection).client;
  };
  const { local } = context.options;
  // The profile check reports a target that cannot be resolved.
  const target = await context.target().catch(() => undefined);
  const organization = org === undefined ? target?.org : { value: org, source: '--org' };
  const after = local ? ['data-folder'] : ['profile', 'answer'];
  const checks: readonly Check[] = [
    ...createMachineChecks(context),
    ...(target?.approvals ? createApprovalChecks(context) : []),
    ...(local ? [] : createNetworkChecks(quickContext)),
    ...createCallChecks({ context, client, after, organization }),
  ];
  try {
    return await runChecks(checks.map(withVariables(context)), context.signal);
  } finally {
    // Aborts the calls of checks that timed out, which would otherwise delay the exit.
    finished.abort(new SvcError('interrupted', 'the checks are finished'));
    const opened = await connection?.catch(() => undefined); // a check has already reported the error
    await opened?.close();
  }
}

/** Adds the variable that moves a folder of svc to the errors of a check. */
function withVariables({ folders }: Context) {
  return (check: Check): Check => ({
    ...check,
    run: (signal) =>
      check.run(signal).catch((error: unknown) => {
        throw error instanceof SvcError ? withFolderHint(error, folders) : error;
      }),
  });
}

/** Creates the checks of a profile that demands approvals. */
function createApprovalChecks(context: Context): readonly Check[] {
  return [
    { name: 'approvals', run: () => checkSigners(context) },
    { name: 'signing-key', run: () => checkSigningKey(context) },
  ];
}

/**
 * Time limit per attempt, in milliseconds. Shorter than the default, so that the report appears
 * soon.
 */
const ATTEMPT_TIMEOUT = 10_000;

/**
 * Returns a context with short time limits. Calls do not wait for rate limits and print no
 * warnings.
 */
function withShortTimeouts(context: Context, finished: AbortSignal): Context {
  const { timeout } = context.options;
  const limits = { maxWait: 0, retryFor: 0, timeout: Math.min(timeout, ATTEMPT_TIMEOUT) };
  const options = { ...context.options, ...limits };
  const signal = AbortSignal.any([context.signal, finished]);
  return { ...context, options, signal, warn: async () => undefined };
}

/** Time limit per check, in milliseconds. */
const CHECK_TIMEOUT = 15_000;

interface NamedResult extends CheckResult {
  readonly name: string;
}

/**
 * Runs checks concurrently, each after its dependencies. Returns results in order. The signal
 * aborts all checks.
 */
async function runChecks(
  checks: readonly Check[],
  signal: AbortSignal,
): Promise<readonly NamedResult[]> {
  const running = new Map<string, Promise<NamedResult>>();
  const run = async (check: Check): Promise<NamedResult> => {
    const { name, after = [] } = check;
    const failed = (await Promise.all(after.map((other) => running.get(other)))).find(
      (other) => other?.failure,
    );
    if (!failed?.failure) return { name, ...(await runCheck(check, signal)) };
    return { name, ...skippedBecause(failed.blockedBy ?? failed.name, failed.failure) };
  };
  for (const check of checks) running.set(check.name, run(check));
  return Promise.all(running.values());
}

async function runCheck({ run }: Check, signal: AbortSignal): Promise<CheckResult> {
  try {
    return await withTimeLimit(CHECK_TIMEOUT, signal, run);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof AttemptTimeoutError)
      return fail('unreachable', thrown.message, 'try again later');
    if (thrown instanceof SvcError) return resultOfError(thrown);
    throw thrown;
  }
}

export async function formatChecklist(
  findings: readonly DoctorFinding[],
  view: View,
  environment: Environment,
) {
  const { mark, colorize } = createMarks(view, environment);
  const rows = joinSkipped(findings).flatMap(({ name, state, detail, fix }) => [
    [`${colorize(state, mark(state))} ${name}`, escapeForTerminal(detail)],
    ...(fix === undefined ? [] : [['', `${colorize(state, 'fix:')} ${escapeForTerminal(fix)}`]]),
  ]);
  const measure = await createMeasure(rows);
  const layout = {
    measure,
    width: view.width ?? Number.POSITIVE_INFINITY,
    gap: '  ',
    isProse: () => true,
  };
  return [...renderFieldList(rows, layout)].join('');
}

function joinSkipped(findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const isSkipped = ({ state }: DoctorFinding) => state === 'skipped';
  const byCause = Map.groupBy(findings.filter(isSkipped), ({ detail }) => detail);
  return findings.flatMap((finding) => {
    const { detail } = finding;
    const names = (isSkipped(finding) && byCause.get(detail)?.map(({ name }) => name)) || [];
    if (names.length < 2) return [finding];
    const joined = {
      ...finding,
      name: `${names.length} checks`,
      detail: `${detail}: ${names.join(', ')}`,
    };
    return names[0] === finding.name ? [joined] : [];
  });
}

/** Checks the approvals that the profile demands, and describes where the keys of the signers are stored. */
async function checkSigners({ approvals }: Context): Promise<CheckResult> {
  const required = await approvals();
  if (!required) return skipped('the profile demands no approvals');
  const rules: string[] = [];
  for (const rule of required.rules) {
    const described = await describeRule(rule);
    if (typeof described !== 'string') return described;
    rules.push(described);
  }
  return info(
    `plans need ${rules.join(', and ')}; this binds svc, not the token, which other programs can use`,
  );
}

/** Describes a rule. Returns a failure if the rule's file of signers has changed. */
async function describeRule({
  count,
  signers: saved,
}: ApprovalRule): Promise<string | CheckResult> {
  const { sha256, signers } = await readSigners(saved.path);
  if (sha256 !== saved.sha256) {
    const problem = `${saved.path} has changed since a person saved it in the profile`;
    return fail('approval_required', `${problem}, so svc applies no plan`);
  }
  const keys = signers.map(
    ({ principals, keyType }) => `${principals} (${keyType}, ${describeKeyStorage(keyType)})`,
  );
  return `${formatNounCount(count, 'approval')} by: ${keys.join(', ')}`;
}

/** Finds the default key of `svc approve`, and describes where it is stored. */
async function checkSigningKey(context: Context): Promise<CheckResult> {
  try {
    const path = await findSigningKey(context);
    const key = await describeKey(context, path);
    if (!key) return skipped(`${path} is not an SSH key`);
    return info(`${path}: ${key.keyType} key ${describeKeyStorage(key.keyType)}`);
  } catch (error) {
    if (error instanceof SvcError) return skipped(error.message.replace(/; nothing was .*/, ''));
    throw error;
  }
}
