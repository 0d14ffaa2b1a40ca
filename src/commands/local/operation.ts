import type { AdminEntry } from '../../catalog/local/entries.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import type { AdminInput, AdminOperationName, AdminOutput } from '../../catalog/local/index.ts';
import { withValue } from '../../kernel/field-path.ts';
import type { Fields } from '../../kernel/json.ts';
import { loadAdminOperation, runAdminOperation } from '../../service/local/operations.ts';
import { readInputData } from '../call/input-data.ts';
import { checkInput } from '../call/validation.ts';
import { ensureLocalWrites } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';
import type { Invocation, ParsedOptions, RunCommand } from '../definition.ts';
import { needsAll } from '../list-flags.ts';
import { optionalProperty } from '../options.ts';
import { withAdminContext } from './admin-context.ts';

/** A command line for an operation of the admin API. */
export interface LocalCall<Name extends AdminOperationName> {
  readonly context: Context;
  readonly invocation: Invocation<ParsedOptions>;
  /** The checked input: one for each word of an argument that selects several records. */
  readonly inputs: readonly [AdminInput<Name>, ...AdminInput<Name>[]];
  /** Runs the operation with each input. */
  readonly run: () => Promise<readonly [AdminOutput<Name>, ...AdminOutput<Name>[]]>;
}

/** Steps of a command beyond one call of its operation. */
export interface LocalBehavior<Name extends AdminOperationName> {
  /** Reads fields that are neither flags nor plain arguments. */
  readonly readFields?: (context: Context, words: readonly string[]) => Promise<Fields>;
  /** Checks what the schema does not, also in a dry run. */
  readonly check?: (call: LocalCall<Name>) => Promise<void>;
  /** Runs the operation and prints its result (default: prints it as it is). */
  readonly run?: (call: LocalCall<Name>) => Promise<void>;
}

/** Creates the command of an operation. */
export function createLocalCommand<Name extends AdminOperationName>(
  name: Name,
  { readFields, check, run = printResult }: LocalBehavior<Name> = {},
): RunCommand<ParsedOptions> {
  const entry = getAdminEntry(name);
  const isWrite = entry.effect !== 'read';
  return async (context, invocation) => {
    if (isWrite) await ensureLocalWrites(context);
    const fields = await readFields?.(context, invocation.arguments);
    const inputs = await readInputs(context, name, invocation, fields);
    const call = { context, invocation, inputs, run: () => runLocal(context, name, inputs) };
    await check?.(call);
    if (isWrite && context.options.dryRun) return context.note('--dry-run: nothing was changed');
    // An invalid output format fails before a write.
    await context.printer();
    await run(call);
  };
}

/** Runs an operation on the store that the options select, with each input. */
export function runLocal<Name extends AdminOperationName>(
  context: Context,
  name: Name,
  inputs: readonly [AdminInput<Name>, ...AdminInput<Name>[]],
): Promise<readonly [AdminOutput<Name>, ...AdminOutput<Name>[]]> {
  return withAdminContext(context, name, async (needed) => {
    const [first, ...others] = inputs;
    const outputs: [AdminOutput<Name>, ...AdminOutput<Name>[]] = [
      await runAdminOperation(name, needed, first),
    ];
    for (const input of others) outputs.push(await runAdminOperation(name, needed, input));
    return outputs;
  });
}

async function printResult<Name extends AdminOperationName>({
  context,
  run,
}: LocalCall<Name>): Promise<void> {
  const [result] = await run();
  await (await context.printer()).value(result, {});
}

/**
 * Reads and checks the inputs of an operation from a command line, which may be that of another
 * operation.
 * @throws SvcError `usage` for an invalid input
 */
export async function readInputs<Name extends AdminOperationName>(
  context: Context,
  name: Name,
  invocation: Invocation<ParsedOptions>,
  fields: Fields = {},
  { command }: Pick<AdminEntry, 'command'> = getAdminEntry(name),
): Promise<readonly [AdminInput<Name>, ...AdminInput<Name>[]]> {
  const entry = { ...getAdminEntry(name), command };
  const operation = await loadAdminOperation(name);
  const limit = readLimit(context, entry);
  const flags = entry.flags.filter((flag) => flag !== limit?.flag);
  const base = { ...entry.given, ...limit?.fields, ...fields };
  const { data } = await readInputData(context, { flags }, invocation, base);
  const check = (words: readonly string[]) =>
    checkInput(
      context,
      entry,
      operation,
      addArguments(entry, words, data),
      'usage',
    ) as AdminInput<Name>;
  const { arguments: words } = invocation;
  const [operand] = entry.arguments;
  const isList = operand?.kind === 'list';
  const [first = '', ...others] = words;
  return operand?.many && !isList
    ? [check([first]), ...others.map((word) => check([word]))]
    : [check(words)];
}

/** Stands for no limit. The service reads one record more than the limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER - 1;

/** Returns the limit of a list, which the flags of the list set, and the flag that it replaces. */
function readLimit({ options: { list } }: Context, { flags }: AdminEntry) {
  const flag = flags.find(({ name }) => name === 'limit');
  if (!list || !flag) return undefined;
  const fields: Fields = needsAll(list)
    ? { limit: NO_LIMIT }
    : optionalProperty('limit', list.limit);
  return { flag, fields };
}

/** Adds the words of the arguments. An argument whose field is a list takes all of them. */
function addArguments(
  { arguments: operands }: AdminEntry,
  words: readonly string[],
  data: Fields,
): Fields {
  return operands.reduce<Fields>((added, { path, kind }, at) => {
    const value = kind === 'list' ? words : words[at];
    const isGiven = value === undefined || Object.hasOwn(added, path[0] ?? '');
    return isGiven ? added : withValue(added, path, value);
  }, data);
}
