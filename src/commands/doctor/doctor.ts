import { SvcError } from '../../kernel/errors.ts';
import { hint } from '../../kernel/hint.ts';
import { amount } from '../../kernel/plural.ts';
import type { Printer } from '../../output/printer.ts';
import { saidWhile } from '../call/awaited.ts';
import { type Connection, connect } from '../call/connect.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { hintText } from '../hinted-command.ts';
import { given, textValue } from '../option-values.ts';
import { wantsColor } from '../run/open-context.ts';
import { callChecks } from './calls.ts';
import type { Check, Finding } from './check.ts';
import { checklist } from './checklist.ts';
import { folderChecks } from './folders.ts';
import { identityChecks } from './identity.ts';
import { machineChecks } from './machine.ts';
import { type CheckedVerdict, runChecks } from './run-checks.ts';
import { wayChecks } from './way.ts';

/** @throws SvcError of the first check that failed, after all of them were printed. */
export async function doctor(context: Context, { options }: Invocation): Promise<void> {
  if (context.options.dryRun) {
    throw new SvcError('usage', 'doctor changes nothing, so there is nothing to plan', { hint: 'leave --dry-run out' });
  }
  const printer = await printerOf(context);
  const verdicts = await saidWhile(context, 'doctor: checking', () => examine(context, textValue(options, 'org')));
  const findings: readonly Finding[] = verdicts.map(({ failure: _, because: __, fix, ...finding }) => ({
    ...finding,
    ...given('fix', fix && hintText(context.options, fix)),
  }));
  await printer.value(findings, { drawing: (view) => checklist(findings, view, context.environment) });
  const failed = verdicts.filter(({ state }) => state === 'fail');
  const [first] = failed;
  if (!first) return;
  throw new SvcError(
    first.failure ?? 'bug',
    `${failed.length} of ${amount(verdicts.length, 'check')} failed: ${failed.map(({ name }) => name).join(', ')}`,
    {
      ...given('hint', first.fix && hint`${first.name}: ${first.fix}`),
    },
  );
}

/** Where settings cannot be read, a check says so: the report comes all the same, in the format of a flag or as a list. */
async function printerOf(context: Context): Promise<Printer> {
  const { output, jq, headers, quiet, showSecrets, fields, color } = context.options;
  const isTold = output !== undefined || jq !== undefined;
  const isReadable =
    isTold ||
    (await context.openSettings().then(
      () => true,
      () => false,
    ));
  if (isReadable) return context.printer();
  const { createPrinter } = await import('../../output/printer.ts');
  const isColored = wantsColor(color, context.io.stdout, context.environment);
  const options = {
    format: 'table',
    headers,
    quiet,
    showSecrets,
    color: isColored,
    ...given('fields', fields),
  } as const;
  return createPrinter(context.io.stdout, options);
}

async function examine(context: Context, org: string | undefined): Promise<readonly CheckedVerdict[]> {
  const over = new AbortController();
  const hasty = withoutPatience(context, over.signal);
  let connection: Promise<Connection> | undefined;
  const client = async () => {
    connection ??= connect(hasty);
    return (await connection).client;
  };
  const { local } = context.options;
  const organizationId = org ?? (await orgOf(context));
  const after = local ? ['data-folder'] : ['profile', 'answer'];
  const checks: readonly Check[] = [
    ...machineChecks(context),
    ...folderChecks(context.folders),
    ...(local ? [] : [...identityChecks(context), ...wayChecks(hasty)]),
    ...callChecks({ context, client, after, organizationId }),
  ];
  try {
    return await runChecks(checks, context.signal);
  } finally {
    // What a check gave up must not keep this process.
    over.abort(new SvcError('interrupted', 'the checks are over'));
    const opened = await connection?.catch(() => undefined); // its check has said why
    await opened?.close();
  }
}

/** Where the settings cannot be read, the check of the profile says so. */
async function orgOf({ openSettings }: Context): Promise<string | undefined> {
  const settings = await openSettings().catch(() => undefined);
  return settings?.org?.value;
}

/** Milliseconds one attempt may take here: who asks a doctor wants to hear soon. */
const ATTEMPT = 10_000;

/** Rate limits are not waited for, and what has a check of its own is not warned of as well. */
function withoutPatience(context: Context, over: AbortSignal): Context {
  const { timeout } = context.options;
  const options = { ...context.options, maxWait: 0, timeout: Math.min(timeout, ATTEMPT) };
  const signal = AbortSignal.any([context.signal, over]);
  return { ...context, options, signal, warn: async () => undefined };
}
