import type { Auth, Operation } from '../../catalog/define.ts';
import { canSaveWrite } from '../../catalog/harmless.ts';
import { manifest } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import type { CalledOperation, CallOutcome, CallResult, Client } from '../../client/client.ts';
import {
  createMissingCursorError,
  followPages,
  nextPageFields,
  type PageFields,
  requireCursor,
} from '../../client/pages.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { redactValue } from '../../kernel/redact.ts';
import { continueReading } from '../../output/printer.ts';
import { readJson, rejectInlineSecrets } from '../call/data-argument.ts';
import { mergePages } from '../call/print-results.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { explainFailure, findReportedFailure } from './api-outcome.ts';
import {
  findKnownOperation,
  type KnownOperation,
  type WaitTarget,
  waitForJob,
} from './api-wait.ts';

interface ApiFlags {
  readonly data?: string | undefined;
  readonly auth?: Auth | undefined;
  readonly paginate?: boolean | undefined;
  readonly wait?: string | undefined;
}

/** Makes a raw call and prints its data. Uses the settings in the catalog, if the path is known. */
export async function apiCommand(
  context: Context,
  { arguments: [word = ''], options }: Invocation<ApiFlags>,
): Promise<void> {
  const { auth, paginate = false } = options;
  const path = parsePath(word);
  const wait = parseWait(options.wait);
  const data = await readData(context, options.data);
  if (paginate && !isObject(data))
    throw new SvcError(
      'usage',
      '--paginate requires --data to be a JSON object, which receives the page token',
    );
  if (paginate && wait) throw new SvcError('usage', '--paginate and --wait exclude each other');
  const [client, known] = await Promise.all([context.client(), findKnownOperation(path, data)]);
  if (known && options.data !== undefined)
    rejectInlineSecrets(context, known.entry.flags, options.data, data);
  const called = describeOperation(path, auth, data, known);
  if (known && canSaveWrite(known.entry))
    await ensureAllowed(
      context,
      called,
      hint`to save a plan of this write, use the command with --out: ${step('help', ...known.entry.command, '--help')}`,
    );
  const isWrite = known ? known.entry.effect !== 'read' : !isReadPath(path);
  // For an unknown operation, looks for the cursor fields that the API uses.
  const nextPage: PageFinder = known
    ? (result) => nextPageFields(known.operation, result)
    : guessNextPage;
  const call = async (page: PageFields) => {
    try {
      return await client.send(called, isObject(data) ? { ...data, ...page } : data);
    } catch (error) {
      throw explainFailure(error, { path, auth, isKnown: known !== undefined, isWrite });
    }
  };
  const raw: RawCall = { known, paginate, nextPage, isWrite };
  if (wait) return callAndWait(context, { wait, call, data, auth, client }, raw);
  const results = followPages({
    path,
    call,
    nextPage: (result) => (paginate ? nextPage(result) : undefined),
  });
  await showRawResults(context, results, raw);
}

interface RawCall {
  readonly known: KnownOperation | undefined;
  readonly paginate: boolean;
  readonly nextPage: PageFinder;
  readonly isWrite: boolean;
}

interface WaitingCall {
  readonly wait: WaitTarget;
  readonly call: (page: PageFields) => Promise<CallOutcome<unknown>>;
  readonly data: unknown;
  readonly auth: Auth | undefined;
  readonly client: Client;
}

async function callAndWait(
  context: Context,
  { wait, call, data, auth, client }: WaitingCall,
  raw: RawCall,
): Promise<void> {
  const first = await call({});
  if (!first.sent) return;
  const failure = raw.isWrite ? findReportedFailure(first.data) : undefined;
  if (failure) {
    await showRawResults(context, singleResult(first), raw);
    throw failure;
  }
  const status = await findKnownOperation(wait.path, data);
  const last = await waitForJob(context, { wait, first, data, auth, client, status });
  await showRawResults(context, singleResult(last.response), { ...raw, known: status });
  if (last.failure) throw last.failure;
}

async function* singleResult(result: CallResult<unknown>) {
  yield result;
}

/** Whether a path that is not in the catalog reads, by the last segment that the API uses. */
function isReadPath(path: string): boolean {
  return /\/(?:get|list|status|search|count)\/?(?:\?|$)/.test(path);
}

/**
 * @throws SvcError `usage` for anything but the name of a response field and a path that reads:
 * svc calls that path repeatedly
 */
function parseWait(text: string | undefined): WaitTarget | undefined {
  if (text === undefined) return undefined;
  const [, field, word] = /^([^:/\s]+):(.+)$/s.exec(text) ?? [];
  const path = word === undefined ? undefined : parsePath(word);
  if (field === undefined || path === undefined || !isReadPath(path))
    throw new SvcError('usage', `--wait: '${text}' is not <field>:<path of the job's status>`, {
      hint: `use the response field with the job's ID and a path that reads: 'jobId:/v2/users/data/delete/status'`,
    });
  return { field, path };
}

/**
 * Describes the call. A call with an unknown path or with IDs that the service generates is never
 * repeated.
 */
function describeOperation(
  path: string,
  auth: Auth | undefined,
  data: unknown,
  known?: KnownOperation,
): CalledOperation {
  const { entry, operation } = known ?? {};
  const canRepeat = operation !== undefined && hasAllIds(operation, data);
  return {
    path,
    auth: auth ?? entry?.auth ?? 'key',
    effect: entry && canRepeat ? entry.effect : 'once',
    ...optionalProperty('issuesCredential', operation?.issuesCredential),
    ...optionalProperty('revealsSecrets', operation?.revealsSecrets),
    ...optionalProperty('feature', operation?.feature),
    ...optionalProperty('lookup', operation?.lookup),
    ...optionalProperty('command', operation?.command),
  };
}

function hasAllIds({ generatedId, bulk }: Operation, data: unknown): boolean {
  const hasField = (record: unknown, field: string) =>
    isObject(record) && record[field] !== undefined;
  if (generatedId) return hasField(data, generatedId);
  if (!bulk?.generatesIds || !bulk.field || !isObject(data)) return true;
  const records = data[bulk.field];
  return !Array.isArray(records) || records.every((record) => hasField(record, bulk.id));
}

/**
 * @throws SvcError `usage` for the name of an operation, and for a full URL, because credentials
 * must only be sent to the configured service
 */
function parsePath(word: string): string {
  const operation = manifest.find(({ name }) => name === word);
  const isPath = !operation && word !== '' && !URL.canParse(word) && !/[\s\\#\p{Cc}]/u.test(word);
  if (!isPath)
    throw new SvcError('usage', `'${word}' is not a path`, {
      hint: operation
        ? `the path of this operation is ${operation.path}`
        : 'use the part after the base URL, such as /v2/users/add',
    });
  return word.startsWith('/') ? word : `/${word}`;
}

async function readData(context: Context, argument: string | undefined): Promise<unknown> {
  if (argument === undefined) return {};
  const body = await readJson(context, argument);
  const isWrapped = isObject(body) && Object.keys(body).join() === 'data';
  return isWrapped ? body['data'] : body;
}

async function showRawResults(
  context: Context,
  results: AsyncGenerator<CallResult<unknown>>,
  { known, paginate, nextPage, isWrite }: RawCall,
): Promise<void> {
  const { value: first, done } = await results.next();
  if (done) return;
  const [printer, { envelope }] = [await context.printer(), context.options];
  // For a known path, the printer masks the secrets in the catalog. Otherwise, masks by field name.
  const mask = (value: unknown) =>
    known || context.options.showSecrets ? value : redactValue(value, []);
  const paths = known?.entry.secrets ?? [];
  const secrets = envelope ? paths.map((path): SecretPath => ['data', ...path]) : paths;
  const merges = paginate && !envelope && typeof first.data === 'object' && first.data !== null;
  const all = continueReading([first], results);
  if (merges && Array.isArray(first.data))
    return printer.records(maskedLists(all, mask), { secrets });
  for await (const result of merges ? mergePages(all) : all) {
    if (isEmpty(result.data) && !envelope) await printMessage(context, result, isWrite);
    else await printer.value(mask(envelope ? result.result : result.data), { secrets });
    const failure = isWrite ? findReportedFailure(result.data) : undefined;
    if (failure) throw failure;
    if (!paginate && nextPage(result))
      await context.note('more pages are available: add --paginate');
  }
}

function isEmpty(data: unknown): boolean {
  return data === null || (isObject(data) && Object.keys(data).length === 0);
}

/** Prints the message of a response without data. */
async function printMessage(
  context: Context,
  { data, result: { message } }: CallResult<unknown>,
  isWrite: boolean,
): Promise<void> {
  const printer = await context.printer();
  const text = typeof message === 'string' ? message : undefined;
  if ((await context.format()) === 'table' && text) return printer.line(text);
  if (text && !isWrite) await context.note(text);
  const statement = { status: 'success', message: text ?? '' };
  await printer.value(data === null && isWrite ? statement : data, {});
}

async function* maskedLists(
  results: AsyncIterable<CallResult<unknown>>,
  mask: (value: unknown) => unknown,
) {
  for await (const { data } of results) if (Array.isArray(data)) yield data.map(mask);
}

/** Returns the fields that request the next page. Returns `undefined` after the last page. */
type PageFinder = (result: CallResult<unknown>) => PageFields | undefined;

function guessNextPage({ result, data }: CallResult<unknown>): PageFields | undefined {
  const fields: PageFields = { ...result, ...(Array.isArray(data) ? {} : Object(data)) };
  const token = fields['pageToken'] || fields['nextPageToken'];
  if (token) return { pageToken: requireCursor('the service', token) };
  const { iterator, done } = fields;
  if (iterator === null && done === false)
    throw createMissingCursorError('the service', 'iterator');
  return iterator && done !== true
    ? { iterator: requireCursor('the service', iterator) }
    : undefined;
}
