import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { inputData, optionKey } from '../call/input-data.ts';
import { runCall } from '../call/operation.ts';
import type { Invocation, OperationRunner, RunOperation } from '../definition.ts';
import { textValue } from '../option-values.ts';

/** The code that runs a command of the catalog: the operation's own runner, or the usual one. */
export function loadRunner(runner: OperationRunner | undefined): RunOperation | Promise<RunOperation> {
  return runner ? runner.load() : runOperation;
}

/** Runs an operation on many records if a list or a file of them is given, and as a single call otherwise. */
export const runOperation: RunOperation = async (context, versions, invocation) => {
  const entry = chosenVersion(versions, invocation);
  const input = await inputData(context, entry, invocation);
  const isBulk = entry.bulk === 'array' || (entry.bulk && invocation.options['file'] !== undefined);
  if (!isBulk) return runCall(context, entry, input, invocation);
  const [{ runBulkOperation }, { bulkOptions }] = await Promise.all([
    import('../bulk/operation.ts'),
    import('../bulk/bulk-flags.ts'),
  ]);
  return runBulkOperation(context, entry, { ...input, options: bulkOptions(invocation) });
};

/** The operation that `--api-version` names, or the first. @throws SvcError `usage` for flags that only others have. */
function chosenVersion(
  versions: readonly [OperationEntry, ...OperationEntry[]],
  { options }: Invocation,
): OperationEntry {
  const wanted = textValue(options, 'apiVersion');
  const entry = versions.find(({ version }) => version === wanted) ?? versions[0];
  for (const other of versions) {
    const foreign = other.flags.find(
      ({ name }) => options[optionKey(name)] !== undefined && !entry.flags.some((own) => own.name === name),
    );
    if (foreign) throw new SvcError('usage', `--${foreign.name} needs --api-version ${other.version}`);
  }
  return entry;
}
