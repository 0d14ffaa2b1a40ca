import type { Sink } from '../../kernel/io.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { openContext } from '../run/open-context.ts';
import { JOB_COLUMNS } from './columns.ts';
import { type JobListEntry, readEntries } from './list-entries.ts';

/** Polling interval, in milliseconds. */
const READ_INTERVAL = 1_000;

/** Shows jobs until none is running. Redraws the table on a terminal; otherwise, prints the jobs that changed. */
export async function watchJobs(context: Context): Promise<void> {
  const { io, environment } = context;
  const canRedraw = io.stdout.isTerminal && (await context.format()) === 'table' && !environment['ACCESSIBLE'];
  if (canRedraw) await redrawTable(context);
  else await (await context.printer()).records(changedEntries(context), { columns: JOB_COLUMNS });
  await context.note('no job is running');
}

async function* changedEntries(context: Context): AsyncGenerator<readonly JobListEntry[]> {
  let known: ReadonlyMap<string, string> = new Map();
  for await (const entries of pollEntries(context)) {
    const texts = new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]));
    const changed = entries.filter(({ id }) => known.get(id) !== texts.get(id));
    known = texts;
    if (changed.length > 0) yield changed;
  }
}

async function* pollEntries(context: Context): AsyncGenerator<readonly JobListEntry[]> {
  const warned = new Set<string>();
  const warn = async (text: string) => {
    if (!warned.has(text)) await context.warn(text);
    warned.add(text);
  };
  for (;;) {
    const entries = await readEntries({ ...context, warn });
    yield entries;
    if (entries.every(({ state }) => state !== 'running')) return;
    await context.clock.sleep(READ_INTERVAL, context.signal);
  }
}

async function redrawTable(context: Context): Promise<void> {
  const { stdout } = context.io;
  let shown = '';
  for await (const entries of pollEntries(context)) {
    const table = await renderTable(context, entries);
    if (table === shown) continue;
    const rows = shown.split('\n').length - 1;
    await stdout.write(rows > 0 ? `\r\u001b[${rows}A\u001b[J${table}` : table);
    shown = table;
  }
}

/** Renders the rows of the table that fit on the screen, so that the table can be redrawn. */
async function renderTable(context: Context, entries: readonly JobListEntry[]): Promise<string> {
  const { io, options, activity } = context;
  const parts: string[] = [];
  const { isTerminal, columns, stream } = io.stdout;
  const stdout: Sink = { isTerminal, columns, stream, write: async (part) => void parts.push(String(part)) };
  // Messages would move the table.
  const stderr: Sink = { ...stdout, write: async () => undefined };
  const { context: drawing, close } = openContext({ ...context, io: { ...io, stdout, stderr } }, options, activity);
  const height = 'rows' in stream ? Number(stream.rows) : Number.POSITIVE_INFINITY;
  const most = Math.max(1, height - 2);
  await (await drawing.printer()).records(singlePage(entries.slice(0, most)), { columns: JOB_COLUMNS });
  await close();
  const lines = parts.join('').trimEnd().split('\n');
  return `${lines.slice(0, most).join('\n')}\n`;
}
