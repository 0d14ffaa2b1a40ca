import { commandArguments, dataArguments } from '../../catalog/command-text.ts';
import { getEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { commandLineOf, hint, type NextStep, step } from '../../kernel/hint.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG, CALL_FLAGS } from '../call/call-flags.ts';
import { readInputData } from '../call/input-data.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { selectOptions } from '../option-values.ts';
import { stepForService } from '../service-flags.ts';
import { canAsk } from '../terminal/terminal.ts';

export type Data = Readonly<Record<string, unknown>>;

export const ENTRY = getEntry('webhooks.endpoints.create');

export const SAMPLE_URL = 'https://example.com/hook';

/** @throws SvcError `usage` if prompting is not possible, with the equivalent non-interactive command */
export async function readFlagData(context: Context, invocation: Invocation): Promise<Data> {
  const { data } = await readInputData(context, ENTRY, invocation);
  if (canAsk(context)) return data;
  const [example = ''] = Object.keys(ENTRY.examples);
  const command =
    Object.keys(data).length === 0
      ? step('change', ...example.split(' ').slice(1))
      : createEquivalentStep(context, { url: SAMPLE_URL, ...data }, invocation);
  throw new SvcError('usage', 'this command is interactive and requires a terminal', {
    hint: hint`non-interactive: ${command}`,
  });
}

export function createEquivalentStep(context: Context, data: Data, { options }: Invocation): NextStep {
  const byFlags = commandArguments(ENTRY, data);
  const line = commandLineOf(step('change', ...byFlags));
  const canUseFlags = escapeForTerminal(line) === line && hasPlainKeys(data);
  const allowFlag = selectOptions(CALL_FLAGS, options).allowUnknownEvent ? [ALLOW_UNKNOWN_EVENT_FLAG.flags] : [];
  const command = canUseFlags ? byFlags : dataArguments(ENTRY.command, data);
  return stepForService(context.options, step('change', ...command, ...allowFlag));
}

function hasPlainKeys(data: Data): boolean {
  const maps = ENTRY.flags.filter(({ kind }) => kind === 'map');
  return maps.flatMap(({ path }) => Object.keys(Object(valueAt(data, path)))).every((key) => /^[^=]+$/.test(key));
}
