import { buffer } from 'node:stream/consumers';
import { abortable } from '../../kernel/abortable.ts';
import { SvcError } from '../../kernel/errors.ts';
import { textOf, withoutMark } from '../../kernel/files.ts';
import { isObject } from '../../kernel/is-object.ts';
import { jsonProblem } from '../../kernel/json-problem.ts';
import { jsonValue } from '../../kernel/json-value.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';

/**
 * The object behind `--data`: JSON text, `@file` or `-` for stdin. A `{"data": {…}}` wrapper is taken off.
 * @throws SvcError `bad_data` when it is no JSON object, `usage` when there is no such file, `local` when it cannot be read.
 */
export async function readData(context: Context, argument: string): Promise<Record<string, unknown>> {
  const json = await readJson(context, argument);
  if (!isObject(json)) throw new SvcError('bad_data', '--data: not a JSON object');
  const { data, ...others } = json;
  return isObject(data) && Object.keys(others).length === 0 ? data : json;
}

/** Any JSON value behind `--data`. @throws as `readData` does, but for what is no object. */
export async function readJson(context: Context, argument: string): Promise<unknown> {
  const text = await readArgument(context, argument);
  const value = jsonValue(text);
  if (value === undefined) {
    throw new SvcError('bad_data', '--data: not valid JSON', {
      hint: `quote it for the shell: --data '{"organizationId":"acme"}'`,
    });
  }
  const wrong = jsonProblem(value, text);
  if (wrong) throw new SvcError('bad_data', `--data: ${wrong.problem}`, given('hint', wrong.hint));
  return value;
}

/** The text that an argument stands for: its own, that of `@file`, or stdin for `-`. */
export async function readArgument(context: Context, argument: string): Promise<string> {
  if (argument === '-') return withoutMark(textOf(await buffer(abortable(context.io.stdin.stream, context.signal))));
  if (!argument.startsWith('@')) return argument;
  return withoutMark(textOf(await readNamedFile(argument.slice(1), context.cwd, { signal: context.signal })));
}
