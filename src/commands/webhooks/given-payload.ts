import { SvcError } from '../../kernel/errors.ts';
import { exactJsonValue } from '../../kernel/exact-json.ts';
import { MOST_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { readArgument } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue, textValues } from '../option-values.ts';
import { withAssignments } from './assignments.ts';

/** The payload of `--from-file`, or the sample, with each `--set` put in. */
export async function givenPayload(
  context: Context,
  options: Invocation['options'],
  sample: unknown,
): Promise<unknown> {
  const file = textValue(options, 'fromFile');
  const base = file === undefined ? sample : await readPayload(context, file);
  return withAssignments(base, textValues(options, 'set'));
}

async function readPayload(context: Context, file: string): Promise<unknown> {
  const text = await readArgument(context, file === '-' ? file : `@${file}`);
  if (nestsDeeperThan(MOST_NESTING, text)) {
    throw new SvcError('bad_data', `${file}: nested more than ${MOST_NESTING} levels deep`);
  }
  const payload = exactJsonValue(text);
  if (payload === undefined) throw new SvcError('bad_data', `${file}: not valid JSON`);
  return payload;
}
