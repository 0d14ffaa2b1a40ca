import { commandArguments, dataArguments } from '../../catalog/command-text.ts';
import type { Flag } from '../../catalog/flags.ts';
import { loadOperation, type OperationName } from '../../catalog/index.ts';
import { getEntry, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { commandLineOf, hint, type NextStep, step } from '../../kernel/hint.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG, CALL_FLAGS } from '../call/call-flags.ts';
import { readInputData } from '../call/input-data.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { getFlagValue, selectOptions, toOptionKey } from '../option-values.ts';
import { stepForService } from '../service-flags.ts';
import { canAsk } from '../terminal/terminal.ts';
import type { Data } from './data.ts';

/** The operation that an interactive setup runs. */
export type SetupOperation = Awaited<ReturnType<typeof loadSetupOperation>>;

export async function loadSetupOperation(wanted: OperationName) {
  const entry = getEntry(wanted);
  return { entry, operation: await loadOperation(entry.resource, entry.name) };
}

/**
 * Reads the data given by flags.
 * @throws SvcError `usage` if prompting is not possible, with the equivalent non-interactive command
 */
export async function readFlagData(context: Context, { entry }: SetupOperation, invocation: Invocation): Promise<Data> {
  if (canAsk(context)) {
    rejectStdinSecrets(entry, invocation);
    return (await readInputData(context, entry, invocation)).data;
  }
  const { data } = await readInputData(context, entry, withoutSecrets(entry, invocation));
  const [example] = entry.examples;
  const given = withEmptySecrets(entry, data, invocation);
  const command =
    Object.keys(given).length === 0
      ? step('change', ...(example?.command ?? '').split(' ').slice(1))
      : createEquivalentStep(context, entry, { ...sampleUrlIfMissing(entry, data), ...given }, invocation);
  throw new SvcError('usage', 'this command is interactive and requires a terminal', {
    hint: hint`non-interactive: ${command}`,
  });
}

/** Rejects secrets from stdin, because prompts read their answers from it. */
function rejectStdinSecrets({ flags }: OperationEntry, { options }: Invocation): void {
  const flag = flags.filter(isSecret).find(({ name }) => getFlagValue(options, `${name}-stdin`));
  if (!flag) return;
  throw new SvcError('usage', `--${flag.name}-stdin: stdin is a terminal`, { hint: 'omit the flag to be prompted' });
}

function withoutSecrets({ flags }: OperationEntry, invocation: Invocation): Invocation {
  const secrets = flags.filter(isSecret).flatMap(({ name }) => [`${name}-file`, `${name}-stdin`].map(toOptionKey));
  const options = Object.entries(invocation.options).filter(([name]) => !secrets.includes(name));
  return { ...invocation, options: Object.fromEntries(options) };
}

/** Adds an empty value for each secret given by a flag, without reading the secret. */
function withEmptySecrets({ flags }: OperationEntry, data: Data, { options }: Invocation): Data {
  const isGiven = ({ name }: Flag) => getFlagValue(options, `${name}-file`) || getFlagValue(options, `${name}-stdin`);
  const given = flags.filter((flag) => isSecret(flag) && isGiven(flag));
  return given.reduce((all, { path }) => withValue(all, path, ''), data);
}

function isSecret({ kind }: Flag): boolean {
  return kind === 'secret';
}

function sampleUrlIfMissing({ flags }: OperationEntry, data: Data): Data {
  const isMissing = data['url'] === undefined && flags.some(({ name, required }) => name === 'url' && required);
  return isMissing ? { url: SAMPLE_URL } : {};
}

/** Placeholder for a missing URL. */
export const SAMPLE_URL = 'https://example.com/hook';

/**
 * Creates the equivalent non-interactive command. Values that flags cannot express go into `--data`. A
 * secret is read from the given file, or from stdin.
 */
export function createEquivalentStep(
  context: Context,
  entry: OperationEntry,
  data: Data,
  { options }: Invocation,
): NextStep {
  const secrets = entry.flags.filter((flag) => isSecret(flag) && valueAt(data, flag.path) !== undefined);
  const dataWithoutSecrets = secrets.reduce((all, { path }) => withValue(all, path, undefined), data);
  const words = secrets.flatMap(({ name }) => {
    const file = getFlagValue(options, `${name}-file`);
    return typeof file === 'string' ? [`--${name}-file`, file] : [`--${name}-stdin`];
  });
  const byFlags = commandArguments(entry, dataWithoutSecrets);
  const line = commandLineOf(step('change', ...byFlags));
  const canUseFlags = escapeForTerminal(line) === line && hasPlainKeys(entry, dataWithoutSecrets);
  const allowFlag = selectOptions(CALL_FLAGS, options).allowUnknownEvent ? [ALLOW_UNKNOWN_EVENT_FLAG.flags] : [];
  const command = canUseFlags ? byFlags : dataArguments(entry.command, dataWithoutSecrets);
  return stepForService(context.options, step('change', ...command, ...words, ...allowFlag));
}

/** Checks that map keys contain no `=`, because flags write maps as key=value. */
function hasPlainKeys({ flags }: OperationEntry, data: Data): boolean {
  const maps = flags.filter(({ kind }) => kind === 'map' || kind === 'switches');
  return maps.flatMap(({ path }) => Object.keys(Object(valueAt(data, path)))).every((key) => /^[^=]+$/.test(key));
}
