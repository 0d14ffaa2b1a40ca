import { commandText } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { flagName } from '../../catalog/flags.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import type { Answer, Client } from '../../client/client.ts';
import { nextCursor, pages } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { programOf } from '../hinted-command.ts';
import { remembered } from '../ids/remember.ts';

/** The inputs of the calls to make, in order; `all` follows the pages of each to the end. */
export interface Request {
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly all: boolean;
}

/** Makes the calls and prints what they answer: records as a list, anything else as it is, nothing of a dry run. */
export async function showAnswers(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  request: Request,
): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const { envelope, quiet } = context.options;
  const answers = remembered(context, entry, request.inputs, answersOf({ context, client, entry, operation }, request));
  // The requests are all that there is to print of a dry run.
  if (context.options.dryRun) {
    for await (const answer of answers) void answer;
    return;
  }
  if (operation.columns && !envelope) {
    const records = recordsOf(context, operation, request, answers);
    return printer.records(records, { columns: operation.columns, secrets: secretsOfRecords(operation, entry) });
  }
  const secrets = envelope ? entry.secrets.map((path) => ['data', ...path]) : entry.secrets;
  const merge = operation.pages?.merge && request.all && !envelope;
  const values: unknown[] = [];
  try {
    for await (const answer of merge ? mergedPages(answers) : answers) {
      const bare = quiet ? bareOf(operation, answer) : undefined;
      if (bare !== undefined) await printer.bare(bare);
      else values.push(envelope ? answer.result : answer.data);
      if (answer.data === null || answer.data === undefined) await context.note(String(answer.result['message'] ?? ''));
    }
  } finally {
    // What was answered before a call failed has happened, and is said.
    const several = values.length > 1 || (values.length === 1 && request.inputs.length > 1);
    if (several) await printer.value(values, { secrets: secrets.map((path) => ['*', ...path]) });
    else for (const value of values) await printer.value(value, { secrets });
  }
}

/** The one value that `--quiet` prints, where the answer has it. */
function bareOf({ bare }: Operation, { data }: Answer<unknown>): string | undefined {
  return data === null ? undefined : bare?.(data);
}

/** The calls of a command: of which operation, and by which client. */
interface Calling {
  readonly context: Context;
  readonly client: Client;
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/** Every answer of the request: one an input, or with `--all` as many as it has pages. */
async function* answersOf(calling: Calling, request: Request) {
  const { inputs, all } = request;
  if (calling.operation.argument?.many && inputs.length > 1) return yield* answersById(calling, request);
  for (const input of inputs) yield* answersTo(calling, input, all);
}

/** The answers for each ID of the command line that the call succeeds for. */
async function* answersById(calling: Calling, { inputs, all }: Request) {
  const { context, entry, operation } = calling;
  const [{ IdFailures }, { withWayOut }] = await Promise.all([import('./each-id.ts'), import('./way-out.ts')]);
  const { field = '' } = operation.argument ?? {};
  const ids = inputs.map((input) => String(input[field]));
  const noun = field.replace(/Id$/, '');
  const failures = new IdFailures(context, { noun, ids, aboutOne: ['not_found', 'invalid_argument'] });
  for (const [at, input] of inputs.entries()) {
    try {
      yield* answersTo(calling, input, all);
    } catch (error) {
      await failures.take(ids[at] ?? '', error instanceof SvcError ? withWayOut(entry, input, error) : error);
    }
  }
  failures.end();
}

async function* answersTo({ context, client, operation }: Calling, input: Request['inputs'][number], all: boolean) {
  for await (const answer of pages(client, operation, input)) {
    yield answer;
    const cursor = nextCursor(operation, answer);
    if (all || cursor === undefined) continue;
    await context.note(
      `there is more: add --all, or go on with --${flagName(operation.pages?.cursorIn ?? '')} ${String(cursor)}`,
    );
    break;
  }
}

async function* recordsOf(
  context: Context,
  operation: Operation,
  { inputs }: Request,
  answers: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<readonly unknown[]> {
  const missing = new Set(inputs.flatMap((input) => askedIds(operation, input)));
  let found = 0;
  for await (const { data } of answers) {
    const list = operation.records ? (data as Readonly<Record<string, unknown>> | null)?.[operation.records] : data;
    const records: readonly unknown[] = Array.isArray(list) ? list : [];
    for (const record of records) missing.delete(idOf(operation, record));
    found += records.length;
    yield records;
  }
  if (missing.size > 0) await context.warn(`not found: ${[...missing].join(', ')}`);
  else if (found === 0) await noteNothing(context, operation, inputs[0]);
}

/** `nothing found; add some with: svc documents add --org acme …`, where there is a command for that. */
export async function noteNothing(context: Context, { addedBy }: Operation, input: Request['inputs'][number] = {}) {
  const adder = manifest.find(({ name }) => name === addedBy);
  const { organizationId } = input;
  const step = adder && `; add some with: ${commandText(adder, { organizationId }, programOf(context.options))} …`;
  await context.note(`nothing found${step ?? ''}`);
}

function askedIds({ splitIds }: Operation, input: Readonly<Record<string, unknown>>): readonly unknown[] {
  const ids = splitIds && input[splitIds.field];
  return Array.isArray(ids) ? ids : [];
}

function idOf({ splitIds }: Operation, record: unknown): unknown {
  return splitIds && typeof record === 'object' && record !== null ? Reflect.get(record, splitIds.recordId) : undefined;
}

/** Where records hold secrets, counted from the list of records that is printed. */
function secretsOfRecords({ records }: Operation, { secrets }: OperationEntry): readonly SecretPath[] {
  return records ? secrets.filter(([first]) => first === records).map(([, ...rest]) => rest) : secrets;
}

/** One answer whose lists hold what the lists of all pages held. */
export async function* mergedPages(answers: AsyncIterable<Answer<unknown>>): AsyncGenerator<Answer<unknown>> {
  let merged: Answer<unknown> | undefined;
  const lists = new Map<string, unknown[]>();
  for await (const answer of answers) {
    merged = answer;
    for (const [name, items] of Object.entries(answer.data ?? {})) {
      if (!Array.isArray(items)) continue;
      const list = lists.get(name) ?? [];
      for (const item of items) list.push(item);
      lists.set(name, list);
    }
  }
  if (merged) yield { ...merged, data: { ...(merged.data as object), ...Object.fromEntries(lists) } };
}
