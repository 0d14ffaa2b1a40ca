import { manifest } from '../../catalog/manifest.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { loadPalette } from '../../output/palette.ts';
import { formatHar } from '../../service/development/requests/har.ts';
import { withoutBodies } from '../../service/development/requests/record.ts';
import {
  locateRequestFile,
  openRequestFile,
  type RequestFile,
} from '../../service/development/requests/request-file.ts';
import {
  checkWaitTimeout,
  createWaitError,
} from '../../service/development/requests/request-log.ts';
import type {
  RequestDetail,
  RequestRecord,
} from '../../service/development/requests/request-record.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { REQUEST_COLUMNS } from '../embedded/development-columns.ts';
import { createLineFormatter } from '../embedded/request-line.ts';
import { parseWholeNumber } from '../options.ts';
import { shouldUseColor } from '../terminal/terminal.ts';
import {
  DEFAULT_LIST_LIMIT,
  type ListRequestsFlags,
  type TailRequestsFlags,
  type WaitForRequestsFlags,
} from './flags.ts';

/** Interval for reading new requests, in milliseconds. */
const POLL_INTERVAL = 50;
const PAGE = 1_000;

export async function listLocalRequests(
  context: Context,
  { options }: Invocation<ListRequestsFlags>,
): Promise<void> {
  const on = checkOperation(options.on);
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIST_LIMIT;
  const found = await withRequestFile(context, async (file) => file.list({ on, limit }));
  if (options.har === undefined) await print(context, found);
  else {
    const path = resolveOutputPath(options.har, context.cwd);
    await writeOutputFile(path, formatHar(found), { signal: context.signal });
  }
  if (options.har !== undefined)
    await context.note(`wrote ${formatNounCount(found.length, 'request')} to ${options.har}`);
  else if (found.length === 0)
    await context.note(hint`no requests found; ${step('change', 'serve')} logs its requests`);
}

export async function showLocalRequests(
  context: Context,
  { arguments: ids }: Invocation,
): Promise<void> {
  const found = await withRequestFile(context, async (file) =>
    ids.map((id) => findRequest(file, id)),
  );
  const { formatJsonDocument } = await import('../../output/json.ts');
  const renderText = ({ isTerminal }: { readonly isTerminal: boolean }) =>
    formatJsonDocument(found, isTerminal);
  await (await context.printer()).value(found, { renderText });
}

function findRequest(file: RequestFile, id: string): RequestDetail {
  const found = /^\d{1,15}$/.test(id) ? file.find(Number(id)) : undefined;
  if (found) return found;
  throw new SvcError('not_found', `request '${id}' not found`, {
    hint: hint`${step('list', 'local', 'requests', 'list')} lists the requests`,
  });
}

/** Prints new requests until a signal arrives. */
export async function tailLocalRequests(
  context: Context,
  { options }: Invocation<TailRequestsFlags>,
): Promise<void> {
  const on = checkOperation(options.on);
  const { io, clock, signal, environment } = context;
  const isText = (await context.format()) === 'table';
  const palette = await loadPalette(shouldUseColor(context.options.color, io.stdout, environment));
  const formatLine = createLineFormatter(io.stdout.columns, palette);
  const { escapeJsonForTerminal } = await import('../../kernel/safe-text.ts');
  const format = (record: RequestRecord) =>
    isText ? formatLine(record) : escapeJsonForTerminal(JSON.stringify(record));
  await withRequestFile(context, async (file) => {
    for (let after = file.lastId(); ; ) {
      const found = file.list({ on, after, limit: PAGE });
      after = found.at(-1)?.id ?? after;
      if (found.length > 0)
        await io.stdout.write(found.map((detail) => `${format(withoutBodies(detail))}\n`).join(''));
      await clock.sleep(POLL_INTERVAL, signal);
    }
  });
}

export async function waitForLocalRequests(
  context: Context,
  { options }: Invocation<WaitForRequestsFlags>,
): Promise<void> {
  const since = Date.now();
  const on = checkOperation(options.on);
  const { timeout } = context.options;
  checkWaitTimeout(timeout);
  const count = parseWholeNumber('--count', options.count, 1) ?? 1;
  const found = await withRequestFile(context, async (file) => {
    for (;;) {
      const isLast = Date.now() >= since + timeout;
      const requests = file.list({ on, since, after: 0, limit: count });
      if (requests.length >= count) return requests;
      if (isLast) throw createWaitError({ on, count, timeout }, requests.length);
      await context.clock.sleep(
        Math.max(1, Math.min(POLL_INTERVAL, since + timeout - Date.now())),
        context.signal,
      );
    }
  });
  await print(context, found);
}

async function withRequestFile<Result>(
  context: Context,
  work: (file: RequestFile) => Promise<Result>,
): Promise<Result> {
  const { options, folders } = context;
  const path = locateRequestFile(await resolveStoreLocation(options.store, folders), folders.data);
  const file = await openRequestFile(path).catch((error: unknown) => {
    if (error instanceof SvcError) throw error;
    throw new SvcError('local', `cannot read the request log ${path}: ${String(error)}`, {
      cause: error,
    });
  });
  return closeAfter(file, work);
}

/** @throws SvcError `usage` for an unknown operation */
function checkOperation(on: string | undefined): string | undefined {
  const known = manifest.map(({ name }) => name);
  if (on === undefined || known.some((name) => name === on)) return on;
  throw new SvcError('usage', `--on: unknown operation '${on}'`, { hint: didYouMean(on, known) });
}

async function print(context: Context, found: readonly RequestDetail[]): Promise<void> {
  await (await context.printer()).value(found.map(withoutBodies), { columns: REQUEST_COLUMNS });
}
