import type { Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { fetchPages, nextCursorOf } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Printer } from '../../output/printer.ts';
import type { Context } from '../context.ts';
import { collectCalledIds } from '../ids/collect-ids.ts';
import { type ClosingMessages, createClosingMessages, listOf } from './closing-messages.ts';

/** Inputs of the calls, in order. With `all`, every page of each call is fetched. */
export interface CallRequest {
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly all: boolean;
}

/** Makes the calls and prints their results. Lists of records are printed as tables; other results are unchanged. */
export async function printResults(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  request: CallRequest,
): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const messages = createClosingMessages(context, operation);
  const ids = collectCalledIds(context, entry, operation);
  const dependencies = { context, client, entry, operation, messages, ids };
  const responses = fetchResponses(dependencies, request);
  // In a dry run, the client prints the requests.
  if (context.options.dryRun) {
    for await (const response of responses) void response;
    return;
  }
  if (operation.columns && !context.options.envelope) {
    const records = extractRecords(dependencies, request, responses);
    await printer.records(records, { columns: operation.columns, secrets: secretsOfRecords(operation, entry) });
  } else await printValues(dependencies, printer, request, responses);
  await messages.print();
}

/** Prints responses that are not lists. Several responses become an array. */
async function printValues(
  { context, entry, operation }: CallDependencies,
  printer: Printer,
  request: CallRequest,
  responses: AsyncIterable<CallResult<unknown>>,
): Promise<void> {
  const { envelope, quiet } = context.options;
  const isTable = (await context.format()) === 'table';
  const secrets = envelope ? entry.secrets.map((path) => ['data', ...path]) : entry.secrets;
  const merge = operation.pages?.merge && request.all && !envelope;
  const values: unknown[] = [];
  try {
    for await (const response of merge ? mergePages(responses) : responses) {
      const bare = quiet && response.data !== null ? operation.quietValue?.(response.data) : undefined;
      if (bare !== undefined) await printer.line(bare);
      else values.push(envelope ? response.result : (response.data ?? describeEmptyResult(entry, response, isTable)));
      if ((response.data ?? null) === null) await context.note(String(response.result['message'] ?? ''));
    }
  } finally {
    // If a later call fails, the results of earlier calls are still printed.
    const isList = values.length > 1 || (values.length === 1 && request.inputs.length > 1);
    if (isList) await printer.value(values, { secrets: secrets.map((path) => ['*', ...path]) });
    else for (const value of values) await printer.value(value, { secrets });
  }
}

/** Describes a write without response data by its status and message. In a table, the message on stderr is enough. */
function describeEmptyResult({ effect }: OperationEntry, { result }: CallResult<unknown>, isTable: boolean): unknown {
  if (effect === 'read' || isTable) return null;
  return { status: 'success', message: String(result['message'] ?? '') };
}

interface CallDependencies {
  readonly context: Context;
  readonly client: Client;
  readonly entry: OperationEntry;
  readonly operation: Operation;
  readonly messages: ClosingMessages;
  readonly ids: ReturnType<typeof collectCalledIds>;
}

/** Fetches all responses: one per input, or one per page with `--all`. */
async function* fetchResponses(dependencies: CallDependencies, request: CallRequest) {
  const { inputs, all } = request;
  const { operation, ids } = dependencies;
  try {
    if (operation.argument?.many && inputs.length > 1) return yield* fetchResponsesById(dependencies, request);
    for (const input of inputs) yield* fetchResponsesFor(dependencies, input, all);
  } finally {
    await ids.save();
  }
}

/** Fetches the responses for each ID on the command line. Continues after failures of single IDs. */
async function* fetchResponsesById(dependencies: CallDependencies, { inputs, all }: CallRequest) {
  const { context, entry, operation } = dependencies;
  const [{ collectIdFailures }, { withHint }] = await Promise.all([import('./each-id.ts'), import('./error-hints.ts')]);
  const { field = '' } = operation.argument ?? {};
  const ids = inputs.map((input) => String(input[field]));
  const noun = field.replace(/Id$/, '');
  const failures = collectIdFailures(context, { noun, ids, isolatedFailures: ['not_found', 'invalid_argument'] });
  for (const [at, input] of inputs.entries()) {
    try {
      yield* fetchResponsesFor(dependencies, input, all);
    } catch (error) {
      await failures.add(ids[at] ?? '', error instanceof SvcError ? withHint(entry, input, error) : error);
    }
  }
  failures.throwIfAny();
}

async function* fetchResponsesFor(
  { client, operation, messages, ids }: CallDependencies,
  input: CallRequest['inputs'][number],
  all: boolean,
) {
  for await (const response of fetchPages(client, operation, input)) {
    messages.countPage(response.data);
    ids.add(input, response);
    yield response;
    const cursor = nextCursorOf(operation, response);
    if (all || cursor === undefined) continue;
    messages.setNextPage(cursor);
    break;
  }
}

async function* extractRecords(
  { operation, messages }: CallDependencies,
  { inputs }: CallRequest,
  responses: AsyncIterable<CallResult<unknown>>,
): AsyncGenerator<readonly unknown[]> {
  const { field, recordId } = operation.splitIds ?? {};
  const missing = new Set<unknown>(inputs.flatMap((input) => (field === undefined ? [] : (input[field] ?? []))));
  for await (const { data } of responses) {
    const list = listOf(operation, data);
    const records: readonly unknown[] = Array.isArray(list) ? list : [];
    for (const record of records) if (recordId !== undefined) missing.delete(Object(record)[recordId]);
    yield records;
  }
  messages.setFound([...missing], inputs[0]);
}

function secretsOfRecords({ records }: Operation, { secrets }: OperationEntry): readonly SecretPath[] {
  return records ? secrets.filter(([first]) => first === records).map(([, ...rest]) => rest) : secrets;
}

export async function* mergePages(responses: AsyncIterable<CallResult<unknown>>): AsyncGenerator<CallResult<unknown>> {
  let merged: CallResult<unknown> | undefined;
  const lists = new Map<string, unknown[]>();
  for await (const response of responses) {
    merged = response;
    for (const [name, items] of Object.entries(response.data ?? {})) {
      if (!Array.isArray(items)) continue;
      const list = lists.get(name) ?? [];
      for (const item of items) list.push(item);
      lists.set(name, list);
    }
  }
  if (merged) yield { ...merged, data: { ...(merged.data as object), ...Object.fromEntries(lists) } };
}
