import type { Auth, Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import type { SecretPath } from '../../catalog/secrets.ts';
import { selectOperation } from '../../catalog/select-operation.ts';
import type { CalledOperation, CallResult } from '../../client/client.ts';
import {
  createMissingCursorError,
  followPages,
  nextPageFields,
  type PageFields,
  requireCursor,
} from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { redactValue } from '../../kernel/redact.ts';
import { continueReading } from '../../output/printer.ts';
import { readJson } from '../call/data-argument.ts';
import { mergePages } from '../call/print-results.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';

interface ApiFlags {
  readonly data?: string | undefined;
  readonly auth?: Auth | undefined;
  readonly paginate?: boolean | undefined;
}

/** Makes a raw call and prints its data. Uses the settings in the catalog, if the path is known. */
export async function apiCommand(
  context: Context,
  { arguments: [word = ''], options }: Invocation<ApiFlags>,
): Promise<void> {
  const { auth, paginate = false } = options;
  const path = parsePath(word);
  const data = await readData(context, options.data);
  if (paginate && !isObject(data))
    throw new SvcError(
      'usage',
      '--paginate requires --data to be a JSON object, which receives the page token',
    );
  const [client, known] = await Promise.all([context.client(), findOperation(path, data)]);
  const called = describeOperation(path, auth, data, known);
  // For an unknown operation, looks for the cursor fields that the API uses.
  const nextPage: PageFinder = known
    ? (result) => nextPageFields(known.operation, result)
    : guessNextPage;
  const results = followPages({
    path,
    call: (page) => client.send(called, isObject(data) ? { ...data, ...page } : data),
    nextPage: (result) => (paginate ? nextPage(result) : undefined),
  });
  await showRawResults(context, results, { known, paginate, nextPage });
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
  {
    known,
    paginate,
    nextPage,
  }: { known: KnownOperation | undefined; paginate: boolean; nextPage: PageFinder },
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
    await printer.value(mask(envelope ? result.result : result.data), { secrets });
    if (!paginate && nextPage(result))
      await context.note('more pages are available: add --paginate');
  }
}

async function* maskedLists(
  results: AsyncIterable<CallResult<unknown>>,
  mask: (value: unknown) => unknown,
) {
  for await (const { data } of results) if (Array.isArray(data)) yield data.map(mask);
}

type KnownOperation = NonNullable<Awaited<ReturnType<typeof findOperation>>>;

/**
 * Finds the operation for a path and data. Returns `undefined` if the path is not in the catalog.
 */
async function findOperation(path: string, data: unknown) {
  const candidates = manifest.filter((candidate) => candidate.path === path);
  const entry = selectOperation(candidates, data);
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
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
