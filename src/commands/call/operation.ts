import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { showAnswers } from './answers.ts';
import type { InputData } from './input-data.ts';
import { checkInput } from './validation.ts';

type Data = Readonly<Record<string, unknown>>;

/** Makes the calls of an operation: checks its input, asks where a write can hurt, and prints the replies. */
export async function runCall(
  context: Context,
  entry: OperationEntry,
  { data, fromDocument }: InputData,
  invocation: Invocation,
): Promise<void> {
  const operation = await loadOperation(entry.resource, entry.name);
  await mintId(operation, data);
  const inputs = argumentInputs(operation, data, invocation).flatMap((input) => splitByIds(operation, input));
  const [failure, now] = [fromDocument ? 'bad_data' : 'usage', context.clock.now()] as const;
  const checked = inputs.map((input) => checkInput(entry, operation, input, failure, now));
  if (fromDocument) await warnOfUnknownFields(context, operation, data);
  await askAndWarn(context, operation, checked);
  if (entry.wait && invocation.options['wait'] === true) {
    const { runAndWait } = await import('./wait.ts');
    return runAndWait(context, { command: entry.command, wait: entry.wait, operation }, inputs[0] ?? {});
  }
  try {
    await showAnswers(context, entry, operation, { inputs, all: invocation.options['all'] === true });
  } catch (error) {
    // What has its next step, as a write of unknown outcome has, must not depend on anything that is still to be loaded.
    if (!(error instanceof SvcError) || error.hint !== undefined) throw error;
    const { withWayOut } = await import('./way-out.ts');
    throw withWayOut(entry, inputs[0] ?? {}, error);
  }
}

/** Puts in the id that the operation wants made up, where none was given. */
export async function mintId({ mints }: Operation, data: Record<string, unknown>): Promise<void> {
  if (!mints || data[mints] !== undefined) return;
  const { randomUUID } = await import('node:crypto');
  data[mints] = randomUUID();
}

/** The data for each word of the command line that is a value, or the data alone. */
function argumentInputs({ argument }: Operation, data: Data, invocation: Invocation): readonly Data[] {
  if (!argument || invocation.arguments.length === 0) return [data];
  return [...new Set(invocation.arguments)].map((word) => ({ ...data, [argument.field]: word }));
}

/** A list of ids longer than the service takes becomes several requests. */
function splitByIds({ splitIds }: Operation, data: Data): readonly Data[] {
  const ids = splitIds && data[splitIds.field];
  if (!splitIds || !Array.isArray(ids) || ids.length <= splitIds.most) return [data];
  const unique = [...new Set(ids)];
  const parts = Math.ceil(unique.length / splitIds.most);
  return Array.from({ length: parts }, (_, part) => ({
    ...data,
    [splitIds.field]: unique.slice(part * splitIds.most, (part + 1) * splitIds.most),
  }));
}

/** Says of a field that the operation does not know what becomes of it: it may be new, or mistyped. */
async function warnOfUnknownFields(context: Context, { input }: Operation, data: Data): Promise<void> {
  const known = Object.keys(input.shape);
  for (const field of Object.keys(data).filter((name) => !known.includes(name))) {
    await context.warn(`--data: unknown field '${field}' is passed on as it is; ${didYouMean(field, known)}`);
  }
}

async function askAndWarn(context: Context, operation: Operation, inputs: readonly Data[]): Promise<void> {
  for (const warning of inputs.flatMap((input) => operation.warnings?.(input) ?? [])) await context.warn(warning);
  if (context.options.dryRun) return;
  for (const input of inputs) {
    const question = operation.confirm?.(input);
    if (question) await context.confirm(question);
  }
}
