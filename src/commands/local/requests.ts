import type { RequestRecord } from '../../catalog/local/answers.ts';
import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import { hint, step } from '../../kernel/errors.ts';
import { writeText } from '../../kernel/log-commands.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import { formatJsonDocument } from '../../output/json.ts';
import { describeMore } from '../../output/list-selection.ts';
import { loadPalette } from '../../output/palette.ts';
import { formatHar } from '../../service/local/requests/har.ts';
import { withoutBodies } from '../../service/local/requests/record.ts';
import { findServerOfStore } from '../connection/running-servers.ts';
import type { Context } from '../context.ts';
import type { Invocation, ParsedOptions } from '../definition.ts';
import { createLineFormatter } from '../terminal/request-line.ts';
import { shouldUseColor } from '../terminal/terminal.ts';
import { watchRecords } from '../terminal/watch-records.ts';
import { POLL_INTERVAL, withRequestFile } from './admin-context.ts';
import { createLocalCommand, type LocalCall, readInputs } from './operation.ts';

/** Maximum number of requests to read at once. */
const PAGE = 1_000;

export const listLocalRequests = createLocalCommand('local.requests.list', {
  run: async (call) => {
    const { context, invocation } = call;
    const { har, watch } = invocation.options;
    if (typeof har === 'string') return writeArchive(call, har);
    if (watch) return watchRequests(call);
    const [{ requests, more }] = await call.run();
    await printRequests(context, requests);
    if (more) await context.note(describeMore(requests.length));
    if (requests.length > 0) return;
    const server = await findServerOfStore(context);
    await context.note(
      server
        ? `no requests to ${server.url} found`
        : hint`no requests found; to serve and log requests, run ${step('change', 'serve')}`,
    );
  },
});

/** Prints the latest requests, and then new ones until a signal arrives. */
async function watchRequests({
  context,
  inputs: [filter],
}: LocalCall<'local.requests.list'>): Promise<void> {
  const { on } = filter;
  let after: number | undefined;
  const { columns = [] } = getAdminEntry('local.requests.list');
  await watchRecords(context, {
    read: () =>
      withRequestFile(context, async (file) => {
        const found = file.list(after === undefined ? filter : { on, after, limit: PAGE });
        after = found.at(-1)?.id ?? after ?? file.lastId();
        return found.map(withoutBodies);
      }),
    idOf: ({ id }) => String(id),
    shapeOf: () => ({ columns }),
  });
}

async function writeArchive(
  { context, inputs: [filter] }: LocalCall<'local.requests.list'>,
  name: string,
): Promise<void> {
  const found = await withRequestFile(context, async (file) => file.list(filter));
  const path = resolveOutputPath(name, context.cwd);
  await writeOutputFile(path, formatHar(found), { signal: context.signal });
  await context.note(`Wrote ${formatNounCount(found.length, 'request')} to ${name}`);
}

export const showLocalRequests = createLocalCommand('local.requests.show', {
  run: async ({ context, run }) => {
    const found = await run();
    const renderText = ({ isTerminal }: { readonly isTerminal: boolean }) =>
      formatJsonDocument(found, isTerminal);
    await (await context.printer()).value(found, { renderText });
  },
});

export const waitForLocalRequests = createLocalCommand('local.requests.wait', {
  readFields: async ({ options: { timeout } }) => ({ wait: { timeout } }),
  run: async ({ context, run }) => printRequests(context, (await run())[0].requests),
});

/** Prints new requests until a signal arrives. */
export async function tailLocalRequests(
  context: Context,
  invocation: Invocation<ParsedOptions>,
): Promise<void> {
  const [{ on }] = await readInputs(context, 'local.requests.list', invocation);
  const { io, clock, signal, environment } = context;
  const isText = (await context.format()) === 'table';
  const palette = await loadPalette(shouldUseColor(context.options.color, io.stdout, environment));
  const formatLine = createLineFormatter(io.stdout.columns, palette);
  const format = (record: RequestRecord) =>
    isText ? formatLine(record) : escapeJsonForTerminal(JSON.stringify(record));
  await withRequestFile(context, async (file) => {
    for (let after = file.lastId(); ; ) {
      const found = file.list({ on, after, limit: PAGE });
      after = found.at(-1)?.id ?? after;
      const lines = found.map((detail) => `${format(withoutBodies(detail))}\n`).join('');
      if (found.length > 0) await (isText ? writeText(io.stdout, lines) : io.stdout.write(lines));
      await clock.sleep(POLL_INTERVAL, signal);
    }
  });
}

async function printRequests(context: Context, requests: readonly RequestRecord[]): Promise<void> {
  const { columns = [] } = getAdminEntry('local.requests.list');
  await (await context.printer()).value(requests, { columns, defaultLimit: DEFAULT_LIMIT });
}
