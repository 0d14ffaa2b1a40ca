import { formatCommand } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { flagName } from '../../catalog/flags.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import type { Answer, Client } from '../../client/client.ts';
import { fetchPages, nextCursorOf } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { CalledIds } from '../ids/collect-ids.ts';
import { programCommand } from '../service-flags.ts';

/** Inputs of the calls to make, in order. With `all`, every page of each is fetched. */
export interface CallRequest {
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly all: boolean;
}

/** Makes the calls and prints their results: records as a list, anything else unchanged. A dry run prints no results. */
export async function printResults(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  request: CallRequest,
): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const { envelope, quiet } = context.options;
  const ids = new CalledIds(entry, operation);
  const responses = fetchResponses({ context, client, entry, operation, ids }, request);
  // A dry run prints only the requests, which the client does.
  if (context.options.dryRun) {
    for await (const response of responses) void response;
    return;
  }
  if (operation.columns && !envelope) {
    const records = extractRecords(context, operation, request, responses);
    return printer.records(records, { columns: operation.columns, secrets: secretsOfRecords(operation, entry) });
  }
  const secrets = envelope ? entry.secrets.map((path) => ['data', ...path]) : entry.secrets;
  const merge = operation.pages?.merge && request.all && !envelope;
  const values: unknown[] = [];
  try {
    for await (const response of merge ? mergePages(responses) : responses) {
      const bare = quiet ? bareValue(operation, response) : undefined;
      if (bare !== undefined) await printer.line(bare);
      else values.push(envelope ? response.result : response.data);
      if (response.data === null || response.data === undefined)
        await context.note(String(response.result['message'] ?? ''));
    }
  } finally {
    // Results of earlier calls are printed even if a later call fails.
    const several = values.length > 1 || (values.length === 1 && request.inputs.length > 1);
    if (several) await printer.value(values, { secrets: secrets.map((path) => ['*', ...path]) });
    else for (const value of values) await printer.value(value, { secrets });
  }
}

/** Single value that `--quiet` prints, if the response contains one. */
function bareValue({ quietValue }: Operation, { data }: Answer<unknown>): string | undefined {
  return data === null ? undefined : quietValue?.(data);
}

/** Operation and client of a command's calls. */
interface CallDependencies {
  readonly context: Context;
  readonly client: Client;
  readonly entry: OperationEntry;
  readonly operation: Operation;
  readonly ids: CalledIds;
}

/** All responses of the request: one per input, or one per page with `--all`. */
async function* fetchResponses(dependencies: CallDependencies, request: CallRequest) {
  const { inputs, all } = request;
  const { context, operation, ids } = dependencies;
  try {
    if (operation.argument?.many && inputs.length > 1) return yield* fetchResponsesById(dependencies, request);
    for (const input of inputs) yield* fetchResponsesFor(dependencies, input, all);
  } finally {
    await ids.save(context);
  }
}

/** Responses for each ID on the command line. Failures of single IDs are collected. */
async function* fetchResponsesById(dependencies: CallDependencies, { inputs, all }: CallRequest) {
  const { context, entry, operation } = dependencies;
  const [{ IdFailures }, { withHint }] = await Promise.all([import('./each-id.ts'), import('./error-hints.ts')]);
  const { field = '' } = operation.argument ?? {};
  const ids = inputs.map((input) => String(input[field]));
  const noun = field.replace(/Id$/, '');
  const failures = new IdFailures(context, { noun, ids, isolatedFailures: ['not_found', 'invalid_argument'] });
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
  { context, client, operation, ids }: CallDependencies,
  input: CallRequest['inputs'][number],
  all: boolean,
) {
  for await (const response of fetchPages(client, operation, input)) {
    ids.add(input, response);
    yield response;
    const cursor = nextCursorOf(operation, response);
    if (all || cursor === undefined) continue;
    await context.note(
      `more results are available: add --all, or continue with --${flagName(operation.pages?.cursorIn ?? '')} ${String(cursor)}`,
    );
    break;
  }
}

async function* extractRecords(
  context: Context,
  operation: Operation,
  { inputs }: CallRequest,
  responses: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<readonly unknown[]> {
  const missing = new Set(inputs.flatMap((input) => requestedIds(operation, input)));
  let found = 0;
  for await (const { data } of responses) {
    const list = operation.records ? (data as Readonly<Record<string, unknown>> | null)?.[operation.records] : data;
    const records: readonly unknown[] = Array.isArray(list) ? list : [];
    for (const record of records) missing.delete(idOf(operation, record));
    found += records.length;
    yield records;
  }
  if (missing.size > 0) await context.warn(`not found: ${[...missing].join(', ')}`);
  else if (found === 0) await noteNoRecords(context, operation, inputs[0]);
}

/** Prints `no results`, with the command that adds some if there is one: `svc documents add --org acme …`. */
export async function noteNoRecords(
  context: Context,
  { addedBy }: Operation,
  input: CallRequest['inputs'][number] = {},
) {
  const adder = manifest.find(({ name }) => name === addedBy);
  const { organizationId } = input;
  const suggestion =
    adder && `; add some with: ${formatCommand(adder, { organizationId }, programCommand(context.options))} …`;
  await context.note(`no results${suggestion ?? ''}`);
}

function requestedIds({ splitIds }: Operation, input: Readonly<Record<string, unknown>>): readonly unknown[] {
  const ids = splitIds && input[splitIds.field];
  return Array.isArray(ids) ? ids : [];
}

function idOf({ splitIds }: Operation, record: unknown): unknown {
  return splitIds && typeof record === 'object' && record !== null ? Reflect.get(record, splitIds.recordId) : undefined;
}

/** Paths of secrets, relative to each record of the printed list. */
function secretsOfRecords({ records }: Operation, { secrets }: OperationEntry): readonly SecretPath[] {
  return records ? secrets.filter(([first]) => first === records).map(([, ...rest]) => rest) : secrets;
}

/** Merges all pages into one response by concatenating their lists. */
export async function* mergePages(responses: AsyncIterable<Answer<unknown>>): AsyncGenerator<Answer<unknown>> {
  let merged: Answer<unknown> | undefined;
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
