import { SvcError } from '../../kernel/errors.ts';
import { parseExactJson } from '../../kernel/exact-json.ts';
import { MAX_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { readArgument } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import { applyAssignments } from './assignments.ts';
import type { SendFlags } from './flags.ts';

/** Creates the payload from `--from-file` or the sample. Then applies each `--set`. */
export async function createPayload(
  context: Context,
  { fromFile: file, set = [] }: Pick<SendFlags, 'fromFile' | 'set'>,
  sample: unknown,
): Promise<unknown> {
  const base = file === undefined ? sample : await readPayload(context, file);
  return applyAssignments(base, set);
}

async function readPayload(context: Context, file: string): Promise<unknown> {
  const text = await readArgument(context, file === '-' ? file : `@${file}`);
  if (nestsDeeperThan(MAX_NESTING, text)) {
    throw new SvcError('bad_data', `${file}: nested more than ${MAX_NESTING} levels deep`);
  }
  const payload = parseExactJson(text);
  if (payload === undefined) throw new SvcError('bad_data', `${file}: not valid JSON`);
  return payload;
}
