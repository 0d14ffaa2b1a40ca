import type { Column, Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import type { CallResult } from '../../client/client.ts';
import { fetchPages, nextCursorOf } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { nameProfile } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import { collectCalledIds } from '../ids/collect-ids.ts';
import { createClosingMessages, listOf } from './closing-messages.ts';
import { collectIdFailures } from './each-id.ts';
import { withHint } from './error-hints.ts';

/** Inputs of the calls, in order. With `all`, every page of each call is fetched. */
export interface CallRequest {
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly all: boolean;
}

/**
 * Makes the calls and prints their results. Lists of records are printed as tables; other results
 * are unchanged.
 */
export async function printResults(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  request: CallRequest,
) {
  const call = await openCall(context, entry, operation, request);
  const { printer, messages } = call;
  const responses = fetchResponses(call);
  // In a dry run, the client prints the requests.
  if (context.options.dryRun) {
    for await (const response of responses) void response;
    return;
  }
  if (operation.columns && !context.options.envelope) {
    const { columns, records } = operation;
    const inRecords = ([first]: SecretPath) => first === records;
    const secrets = records
      ? entry.secrets.filter(inRecords).map(([, ...rest]) => rest)
      : entry.secrets;
    const pages = extractRecords(call, responses);
    const children = await findShownTree(call);
    if (children === undefined) await printer.records(pages, { columns, secrets });
    else
      await printer.records(flattenTrees(pages, children), {
        columns: [...columns, DEPTH_COLUMN],
        secrets,
      });
  } else await printValues(call, responses);
  await messages.print();
}

/** Returns the field of nested records if the call reads a tree and prints it as a table. */
async function findShownTree({ context, operation, inputs }: OpenCall) {
  const { children, singleRecordId = '' } = operation;
  const readsTree = inputs.some((input) => input[singleRecordId] !== undefined);
  if (children === undefined || !readsTree || (await context.format()) !== 'table')
    return undefined;
  return context.options.fields?.includes(children) ? undefined : children;
}

type OpenCall = Awaited<ReturnType<typeof openCall>>;

async function openCall(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  request: CallRequest,
) {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const ids = collectCalledIds(context, entry, operation);
  return {
    ...request,
    context,
    client,
    printer,
    entry,
    operation,
    ids,
    messages: createClosingMessages(context, operation),
  };
}

async function printValues(
  { context, printer, entry, operation, inputs, all }: OpenCall,
  responses: AsyncIterable<CallResult<unknown>>,
): Promise<void> {
  const { envelope, quiet } = context.options;
  const isTable = (await context.format()) === 'table';
  const secrets = envelope ? entry.secrets.map((path) => ['data', ...path]) : entry.secrets;
  const merge = operation.pages?.merge && all && !envelope;
  const values: unknown[] = [];
  try {
    for await (const response of merge ? mergePages(responses) : responses) {
      const bare =
        quiet && response.data !== null ? operation.quietValue?.(response.data) : undefined;
      if (bare !== undefined) await printer.line(bare);
      else
        values.push(
          envelope
            ? response.result
            : (response.data ?? describeEmptyResult(entry, response, isTable)),
        );
      if ((response.data ?? null) === null)
        await context.note(await nameWrite(context, entry, messageFrom(response)));
    }
  } finally {
    // If a later call fails, the results of earlier calls are still printed.
    const isList = values.length > 1 || (values.length === 1 && inputs.length > 1);
    const isBrief = isTable && !envelope && !quiet && context.options.fields === undefined;
    const updated = isBrief && !isList ? findUpdate(operation, inputs[0], values[0]) : undefined;
    if (updated) {
      await printer.line(await nameWrite(context, entry, updated.message));
      await printer.value(updated.fields, { secrets });
    } else if (isList)
      await printer.value(values, { secrets: secrets.map((path) => ['*', ...path]) });
    else for (const value of values) await printer.value(value, { secrets });
  }
}

/** Names the profile of a write if a `.svc.json` chose it. */
async function nameWrite(
  context: Context,
  { effect }: OperationEntry,
  message: string,
): Promise<string> {
  if (effect === 'read') return message;
  return nameProfile(context, message);
}

/** Describes an update of settings by the fields that it changed, with their new values. */
function findUpdate(
  { summary, argument, effect }: Operation,
  input: CallRequest['inputs'][number] = {},
  value: unknown,
) {
  const [, subject] = /^Update (?:an? |the )?(.+)$/.exec(summary) ?? [];
  if (effect !== 'set' || subject === undefined || !isObject(value)) return undefined;
  const fields = pickFields(value, input);
  if (Object.keys(fields).length === 0) return undefined;
  const id = argument ? ` ${String(input[argument.field])}` : '';
  return { message: `Updated ${subject}${id}`, fields };
}

/** Returns the fields of a value that were given, at all levels. */
function pickFields(value: object, given: object): object {
  const values = new Map(Object.entries(value));
  const shared = Object.entries(given).filter(([name]) => values.has(name));
  return Object.fromEntries(
    shared.map(([name, part]) => {
      const own = values.get(name);
      return [name, isObject(own) && isObject(part) ? pickFields(own, part) : own];
    }),
  );
}

function describeEmptyResult(
  { effect }: OperationEntry,
  response: CallResult<unknown>,
  isTable: boolean,
): unknown {
  if (effect === 'read' || isTable) return null;
  return { status: 'success', message: messageFrom(response) };
}

function messageFrom({ result: { message } }: CallResult<unknown>): string {
  return typeof message === 'string' ? message : '';
}

/** Fetches all responses: one per input, or one per page with `--all`. */
async function* fetchResponses(call: OpenCall) {
  const { operation, ids, inputs } = call;
  try {
    if (operation.argument?.many && inputs.length > 1) return yield* fetchResponsesById(call);
    for (const input of inputs) yield* fetchResponsesFor(call, input);
  } finally {
    await ids.save();
  }
}

async function* fetchResponsesById(call: OpenCall) {
  const { context, entry, operation, inputs } = call;
  const { field = '' } = operation.argument ?? {};
  const ids = inputs.map((input) => String(input[field]));
  const noun = field.replace(/Id$/, '');
  const failures = collectIdFailures(context, noun, ids, ['not_found', 'invalid_argument']);
  for (const [at, input] of inputs.entries()) {
    try {
      yield* fetchResponsesFor(call, input);
    } catch (error) {
      await failures.add(
        ids[at] ?? '',
        error instanceof SvcError ? withHint(entry, input, error) : error,
      );
    }
  }
  failures.throwIfAny();
}

async function* fetchResponsesFor(
  { context, client, operation, messages, inputs, ids, all }: OpenCall,
  input: CallRequest['inputs'][number],
) {
  const { limit } = context.options.list ?? {};

  for await (const response of fetchPages(client, operation, input)) {
    messages.countPage(response.data);
    ids.add(input, response);
    const cursor = nextCursorOf(operation, response);
    const found = messages.countFound();
    const isLast = !all && (limit === undefined || (found >= limit && inputs.length === 1));
    // A cursor after more records than are printed would skip some.
    if (isLast && cursor !== undefined && found === (limit ?? found)) messages.setNextPage(cursor);
    // The printer reads no further than the limit.
    yield response;
    if (isLast) break;
  }
}

async function* extractRecords(
  { operation, messages, inputs }: OpenCall,
  responses: AsyncIterable<CallResult<unknown>>,
): AsyncGenerator<readonly unknown[]> {
  const { field, recordId } = operation.splitIds ?? {};
  const missing = new Set<unknown>(
    inputs.flatMap((input) => (field === undefined ? [] : (input[field] ?? []))),
  );
  for await (const { data } of responses) {
    const list = listOf(operation, data);
    const records: readonly unknown[] = Array.isArray(list) ? list : [];
    for (const record of records)
      if (recordId !== undefined) missing.delete(Object(record)[recordId]);
    yield records;
  }
  messages.setFound([...missing], inputs[0]);
}

export async function* mergePages(
  responses: AsyncIterable<CallResult<unknown>>,
): AsyncGenerator<CallResult<unknown>> {
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
  if (merged)
    yield { ...merged, data: { ...(merged.data as object), ...Object.fromEntries(lists) } };
}

const DEPTH_COLUMN: Column = { header: 'DEPTH', field: 'depth', hideOrder: 4 };

/** Turns trees of records into rows with their depth, parents first. */
export async function* flattenTrees(
  pages: AsyncIterable<readonly unknown[]>,
  children: string,
): AsyncGenerator<readonly unknown[]> {
  for await (const records of pages) yield records.flatMap((record) => rowsOf(record, children, 0));
}

function rowsOf(record: unknown, children: string, depth: number): readonly unknown[] {
  if (!isObject(record)) return [record];
  const { [children]: nested, ...fields } = record;
  const below = Array.isArray(nested) ? nested : [];
  return [{ ...fields, depth }, ...below.flatMap((each) => rowsOf(each, children, depth + 1))];
}
