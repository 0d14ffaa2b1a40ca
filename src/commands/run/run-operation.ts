import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { CALL_FLAGS } from '../call/call-flags.ts';
import { readInputData } from '../call/input-data.ts';
import { runCall } from '../call/run-call.ts';
import type { Invocation, OperationRunner, RunOperation } from '../definition.ts';
import { getFlagValue, selectOptions } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';

export function loadRunner(runner: OperationRunner | undefined): RunOperation | Promise<RunOperation> {
  return runner ? runner.load() : runOperation;
}

/** Runs an operation as a bulk job if the records come from a list or a file. Otherwise, runs it as a call. */
export const runOperation: RunOperation = async (context, versions, invocation) => {
  const entry = selectVersion(versions, invocation);
  const input = await readInputData(context, entry, invocation);
  if (canAsk(context)) {
    const { pickMissingIds } = await import('../call/pick-ids.ts');
    await pickMissingIds(context, entry, input.data, invocation);
  }
  const isBulk = entry.bulk === 'array' || (entry.bulk && getFlagValue(invocation.options, 'file') !== undefined);
  if (!isBulk) return runCall(context, entry, input, invocation);
  const [{ runBulkOperation }, { parseBulkOptions }] = await Promise.all([
    import('../bulk/bulk-operation.ts'),
    import('../bulk/bulk-flags.ts'),
  ]);
  return runBulkOperation(context, entry, { ...input, options: parseBulkOptions(invocation), flags: invocation.options });
};

/** Selects the version by `--api-version` or by flags. @throws SvcError `usage` for a flag of another version */
function selectVersion(versions: readonly [OperationEntry, ...OperationEntry[]], { options }: Invocation): OperationEntry {
  const requested = selectOptions(CALL_FLAGS, options).apiVersion;
  const given = versions.flatMap(({ flags }) => flags.filter(({ name }) => getFlagValue(options, name) !== undefined));
  const findUnsupported = (entry: OperationEntry) => given.find(({ name }) => !acceptsFlag(entry, name));
  const entry =
    versions.find((each) => (requested === undefined ? !findUnsupported(each) : each.version === requested)) ?? versions[0];
  const flag = findUnsupported(entry);
  const other = versions.find(({ flags }) => flags.some(({ name }) => name === flag?.name));
  if (flag && other) throw new SvcError('usage', `--${flag.name} requires --api-version ${other.version}`);
  return entry;
}

/** Whether a version has a flag, including flags such as `--create-user` for records that it creates. */
function acceptsFlag({ flags, createsParents = [] }: OperationEntry, name: string): boolean {
  return flags.some((own) => own.name === name) || createsParents.some((kind) => name === `create-${kind}`);
}
