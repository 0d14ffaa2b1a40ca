import { loadOperation, type OperationName } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { commandLineOf } from '../../kernel/hint.ts';
import { isObject } from '../../kernel/is-object.ts';
import { requireData } from '../call/require-data.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { diffData, formatChanges } from './changes.ts';
import { askForField } from './config-questions.ts';
import { type Data, mergeData } from './data.ts';
import { confirmByDefault, printLines, wrapForMessages } from './messages.ts';
import { notConfirmed } from './review.ts';
import { createEquivalentStep, loadSetupOperation, readFlagData, type SetupOperation } from './setup-operation.ts';

/** A configuration that is read and updated as a whole, with one switch that enables it. */
export interface ConfigDefinition {
  readonly get: OperationName;
  readonly update: OperationName;
  /** Field that contains the settings. Its `triggers` field selects the events. */
  readonly settings: string;
  /** Prompt of each field. */
  readonly questions: Readonly<Record<string, string>>;
  /** Event types that can be selected. */
  readonly events: readonly string[];
  /** Settings that the service adds to an update with this data while no triggers are stored. */
  readonly firstSettings: (data: Data) => Data | undefined;
}

/** Prompts for each setting without a flag, shows the changes, and applies only those. */
export async function setUpConfig(context: Context, invocation: Invocation, config: ConfigDefinition): Promise<void> {
  const subject = await loadSetupOperation(config.update);
  const { entry, operation } = subject;
  const given = await readFlagData(context, subject, invocation);
  if (Object.keys(given).length > 0) checkInput(context, entry, operation, given, 'usage');
  const client = await context.client();
  const before = await readCurrentConfig(context, client, config);
  const wanted = await askForConfig(context, subject, { config, before, given });
  const changes = computeUpdate(config, before, wanted);
  if (changes === undefined) return context.note('already up to date; nothing was sent');
  checkInput(context, entry, operation, changes, 'usage');
  for (const warning of operation.warnings?.(changes) ?? []) await context.warn(warning);
  await printLines(context, [
    '',
    'Changes',
    ...formatChanges(entry, before, mergeData(withFirstSettings(config, before, changes), changes)).map(
      (line) => `  ${line}`,
    ),
    '',
    'Equivalent command',
    ...(await wrapForMessages(context, commandLineOf(createEquivalentStep(context, entry, changes, invocation)))),
    '',
  ]);
  await confirmChanges(context, operation.confirm?.(changes));
  const reply = await client.call(operation, changes);
  if (!reply.sent) return;
  if (reply.data === null) await context.note(String(reply.result['message'] ?? 'done'));
  else await (await context.printer()).value(reply.data, { secrets: entry.secrets });
}

/** Asks before the changes are sent. Enter means Yes, unless a change is risky and has a question of its own. */
async function confirmChanges(context: Context, riskQuestion: string | undefined): Promise<void> {
  if (context.options.dryRun) return;
  if (riskQuestion !== undefined) await context.confirm(riskQuestion);
  else if (!(await confirmByDefault(context, 'Make these changes?'))) throw notConfirmed();
}

async function readCurrentConfig(context: Context, client: Client, { get }: ConfigDefinition): Promise<Data> {
  if (context.options.dryRun) {
    await context.note('--dry-run: the current configuration was not read');
    return {};
  }
  const { entry } = await loadSetupOperation(get);
  const data = requireData(await client.call(await loadOperation(entry.resource, get), {}));
  return isObject(data) ? data : {};
}

/** Combines the settings from flags with the answers for all others. */
async function askForConfig(
  context: Context,
  { entry, operation }: SetupOperation,
  { config, before, given }: { readonly config: ConfigDefinition; readonly before: Data; readonly given: Data },
): Promise<Data> {
  let wanted = given;
  for (const flag of entry.flags) {
    const { path } = flag;
    if (valueAt(wanted, path) !== undefined) continue;
    const current = mergeData(withFirstSettings(config, before, wanted), wanted);
    const message = config.questions[path.at(-1) ?? ''] ?? flag.description;
    const answer = await askForField(context, operation, { flag, message, current, events: config.events });
    if (answer !== undefined) wanted = withValue(wanted, path, answer);
  }
  return wanted;
}

/** Computes the fields to send. Settings that the service adds by itself are sent only if nothing else triggers them. */
function computeUpdate(config: ConfigDefinition, before: Data, wanted: Data): Data | undefined {
  const changes = diffData(withFirstSettings(config, before, wanted), wanted) ?? {};
  const isSeeded = Boolean(config.firstSettings(wanted)) === Boolean(config.firstSettings(changes));
  return isSeeded && Object.keys(changes).length > 0 ? changes : diffData(before, wanted);
}

/** Adds the settings that the service stores when the configuration is first enabled. */
function withFirstSettings({ settings, firstSettings }: ConfigDefinition, before: Data, wanted: Data): Data {
  const stored = Object(valueAt(before, [settings, 'triggers']));
  const seeds = Object.keys(stored).length === 0 ? firstSettings(wanted) : undefined;
  return seeds ? mergeData(before, { [settings]: seeds }) : before;
}
