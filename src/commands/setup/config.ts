import { loadOperation, type OperationName } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/is-object.ts';
import { dataOf } from '../call/reply-data.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { changedData, changeLines } from './changes.ts';
import { askForField } from './config-questions.ts';
import { type Data, laidOver, withValue } from './data.ts';
import { commandOf, givenData, type Subject, subjectOf } from './subject.ts';
import { tell } from './talk.ts';

/** A configuration that is read and updated as a whole, with one switch above its settings. */
export interface Config {
  readonly get: OperationName;
  readonly update: OperationName;
  /** The field that holds the settings; its `triggers` say which events count. */
  readonly settings: string;
  /** How each field is asked for. */
  readonly questions: Readonly<Record<string, string>>;
  /** The known events that it can be about. */
  readonly events: readonly string[];
  /** What an update with this data sets besides, while no triggers are stored. */
  readonly firstSettings: (data: Data) => Data | undefined;
}

/** Asks for each setting that no flag gives, shows what would change, and changes only that. */
export async function setUpConfig(context: Context, invocation: Invocation, config: Config): Promise<void> {
  const subject = await subjectOf(config.update);
  const { entry, operation } = subject;
  const given = await givenData(context, subject, invocation);
  if (Object.keys(given).length > 0) checkInput(entry, operation, given, 'usage', context.clock.now());
  const client = await context.client();
  const before = await currentConfig(context, client, config);
  const wanted = await askForConfig(context, subject, { config, before, given });
  const changes = changesOf(config, before, wanted);
  if (changes === undefined) return context.note('everything is so already; nothing was sent');
  checkInput(entry, operation, changes, 'usage', context.clock.now());
  for (const warning of operation.warnings?.(changes) ?? []) await context.warn(warning);
  await tell(context, [
    '',
    'What changes',
    ...changeLines(entry, before, laidOver(seededBy(config, before, changes), changes)).map((line) => `  ${line}`),
    '',
    'The same without questions',
    `  ${commandOf(context, entry, changes, invocation)}`,
    '',
  ]);
  if (!context.options.dryRun) await context.confirm(operation.confirm?.(changes) ?? 'Make these changes?');
  const reply = await client.call(operation, changes);
  if (!reply.sent) return;
  if (reply.data === null) await context.note(String(reply.result['message'] ?? 'done'));
  else await (await context.printer()).value(reply.data, { secrets: entry.secrets });
}

async function currentConfig(context: Context, client: Client, { get }: Config): Promise<Data> {
  if (context.options.dryRun) {
    await context.note('what is configured now is not looked up: --dry-run');
    return {};
  }
  const { entry } = await subjectOf(get);
  const data = dataOf(await client.call(await loadOperation(entry.resource, get), {}));
  return isObject(data) ? data : {};
}

interface Answers {
  readonly config: Config;
  readonly before: Data;
  readonly given: Data;
}

/** What is to be set: what flags gave, and each other setting as it was answered. */
async function askForConfig(context: Context, { entry, operation }: Subject, answers: Answers): Promise<Data> {
  const { config, before, given } = answers;
  let wanted = given;
  for (const flag of entry.flags) {
    const { path } = flag;
    if (valueAt(wanted, path) !== undefined) continue;
    const current = laidOver(seededBy(config, before, wanted), wanted);
    const message = config.questions[path.at(-1) ?? ''] ?? flag.describes;
    const answer = await askForField(context, operation, { flag, message, current, events: config.events });
    if (answer !== undefined) wanted = withValue(wanted, path, answer);
  }
  return wanted;
}

/** What has to be sent: what the service would put in by itself is not, unless nothing else would make it do so. */
function changesOf(config: Config, before: Data, wanted: Data): Data | undefined {
  const changes = changedData(seededBy(config, before, wanted), wanted) ?? {};
  const isSeeded = Boolean(config.firstSettings(wanted)) === Boolean(config.firstSettings(changes));
  return isSeeded && Object.keys(changes).length > 0 ? changes : changedData(before, wanted);
}

/** What is configured once the service has put in what enabling for the first time sets. */
function seededBy({ settings, firstSettings }: Config, before: Data, wanted: Data): Data {
  const stored = Object(valueAt(before, [settings, 'triggers']));
  const seeds = Object.keys(stored).length === 0 ? firstSettings(wanted) : undefined;
  return seeds ? laidOver(before, { [settings]: seeds }) : before;
}
