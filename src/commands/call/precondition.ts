import type { Precondition } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry, type OperationEntry } from '../../catalog/manifest.ts';
import type { Context } from '../context.ts';
import { createInputError, type InputFailure } from './validation.ts';

type Data = Readonly<Record<string, unknown>>;

/**
 * Checks inputs against the state of the service, which is read only if an input depends on it.
 * @throws SvcError of the given kind before anything is sent; the error of the read if it fails
 */
export async function checkPrecondition(
  context: Context,
  entry: OperationEntry,
  { operation: name, applies, findProblem }: Precondition<Data>,
  inputs: readonly Data[],
  failure: InputFailure,
): Promise<void> {
  if (!inputs.some(applies)) return;
  const reader = getEntry(name);
  const reply = await (await context.client()).call(await loadOperation(reader.resource, reader.name), {});
  const problem = reply.sent ? findProblem(reply.data) : undefined;
  if (problem) throw createInputError(context.inputNaming, entry, problem, failure);
}
