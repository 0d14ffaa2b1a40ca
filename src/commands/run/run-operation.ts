import type { OperationEntry } from '../../catalog/manifest.ts';
import { createPlanAdvice } from '../../client/write-guard.ts';
import { type Hint, SvcError, step } from '../../kernel/errors.ts';
import { parseBulkOptions, parseMapFile } from '../bulk/bulk-flags.ts';
import type { BulkRequest } from '../bulk/bulk-request.ts';
import { CALL_FLAGS } from '../call/call-flags.ts';
import { readInputData } from '../call/input-data.ts';
import { runCall } from '../call/run-call.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation, OperationRunner, RunOperation } from '../definition.ts';
import { getFlagValue, selectOptions } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';

export function loadRunner(
  runner: OperationRunner | undefined,
): RunOperation | Promise<RunOperation> {
  return runner ? runner.load() : runOperation;
}

/**
 * Runs an operation as a bulk job if the records come from a list or a file. Otherwise, runs it as
 * a call.
 */
export const runOperation: RunOperation = async (context, versions, invocation) => {
  const [entry, newer] = selectVersions(versions, invocation);
  // Contradictions about the target are reported before anything is read.
  await context.target();
  const { out, wait } = selectOptions(CALL_FLAGS, invocation.options);
  if (out !== undefined) {
    if (wait) throw new SvcError('usage', '--out and --wait cannot be combined');
    const { openPlanning } = await import('../write-plans/save-write.ts');
    return runAllowed(openPlanning(context), [entry, newer], invocation);
  }
  await ensureAllowed(context, entry, describePlan(context, entry));
  return runAllowed(context, [entry, newer], invocation);
};

/** Flags that only a command that sends its write at once accepts. */
const SENDING_FLAGS = /^--(?:yes|wait|(?:rejects|results)(?:=.*)?)$/;

/** Describes how to save a plan of the write, in place of the command that was refused. */
function describePlan(
  { words, inputNaming }: Context,
  { flags }: OperationEntry,
): Hint | string | undefined {
  // The command line of a server has another command.
  if (inputNaming === 'fields' || words.length === 0) return undefined;
  const secrets = flags.filter(({ kind }) => kind === 'secret');
  if (words.some((word) => secrets.some(({ name }) => word.startsWith(`--${name}-`))))
    return 'plans contain no secrets: refer to the secret in a settings file, and save a plan of that file';
  const plain = words.filter(
    (word, at) => word !== '-y' && !SENDING_FLAGS.test(word) && !takesNext(words[at - 1]),
  );
  return createPlanAdvice(step('inspect', ...plain, '--out', 'plan.json'));
}

function takesNext(word = ''): boolean {
  return word === '--rejects' || word === '--results';
}

async function runAllowed(
  context: Context,
  [entry, newer]: readonly [OperationEntry, OperationEntry | undefined],
  invocation: Invocation,
): Promise<void> {
  const input = await readInputData(context, entry, invocation);
  // As explicit as the flag.
  const isCreationGiven = input.data[CREATION] === true;
  allowCreation(entry, input.data);
  const isFile = entry.bulk && getFlagValue(invocation.options, 'file') !== undefined;
  const pickIds = async () => {
    const { pickMissingIds } = await import('../call/pick-ids.ts');
    await pickMissingIds(context, entry, input.data, invocation);
    return input.data;
  };
  // The records of a file may contain the IDs.
  if (canAsk(context) && !isFile) await pickIds();
  const flags = { ...invocation.options, ...(isCreationGiven && { [CREATION]: true }) };
  if (!isFile && entry.bulk !== 'array')
    return runCall(context, entry, input, { ...invocation, options: flags });
  const { runBulkOperation } = await import('../bulk/bulk-operation.ts');
  const request = {
    ...input,
    newer: newer && withOwnFlags(newer, entry, flags),
    options: parseBulkOptions(invocation),
    mapFile: parseMapFile(invocation),
    flags,
  };
  return runBulkOperation(context, entry, {
    ...request,
    pickIds: isFile && canAsk(context) ? pickIds : undefined,
    out: selectOptions(CALL_FLAGS, flags).out,
  });
}

/**
 * Selects the versions that have all given flags, or the one in `--api-version`.
 * @throws SvcError `usage` for a flag of another version
 */
function selectVersions(
  versions: readonly [OperationEntry, ...OperationEntry[]],
  { options }: Invocation,
): readonly [OperationEntry, ...OperationEntry[]] {
  const requested = selectOptions(CALL_FLAGS, options).apiVersion;
  const given = versions.flatMap(({ flags }) =>
    flags.filter(({ name }) => getFlagValue(options, name) !== undefined),
  );
  const findUnsupported = (entry: OperationEntry) =>
    given.find(({ name }) => !acceptsFlag(entry, name, getFlagValue(options, name)));
  const [entry = versions[0], ...newer] = versions.filter((each) =>
    requested === undefined ? !findUnsupported(each) : each.version === requested,
  );
  const flag = findUnsupported(entry);
  const other = versions.find(({ flags }) => flags.some(({ name }) => name === flag?.name));
  if (flag && other)
    throw new SvcError('usage', `--${flag.name} requires --api-version ${other.version}`);
  return [entry, ...newer];
}

/**
 * Returns the data of flags that a newer version has, and that an older one accepts without sending
 * them.
 */
function withOwnFlags(
  newer: OperationEntry,
  older: OperationEntry,
  options: object,
): NonNullable<BulkRequest['newer']> {
  const own = newer.flags.filter(({ name }) => !older.flags.some((flag) => flag.name === name));
  const values = own.map(({ name, path }) => [path[0], getFlagValue(options, name)]);
  const data = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  return { entry: newer, data: allowCreation(newer, data) };
}

const CREATION = 'createOrganization';

/**
 * Lets a version of an operation create the organization like its other versions, unless the data
 * says otherwise.
 */
function allowCreation(
  { createsParents, flags }: OperationEntry,
  data: Record<string, unknown>,
): Readonly<Record<string, unknown>> {
  const canCreate = createsParents?.includes('organization');
  if (canCreate && flags.some(({ path }) => path[0] === CREATION)) data[CREATION] ??= true;
  return data;
}

/**
 * Whether a version has a flag, including flags such as `--create-user` for records that it
 * creates anyway.
 */
function acceptsFlag(
  { flags, createsParents = [] }: OperationEntry,
  name: string,
  value: unknown,
): boolean {
  return (
    flags.some((own) => own.name === name) ||
    (value === true && createsParents.some((kind) => name === `create-${kind}`))
  );
}
