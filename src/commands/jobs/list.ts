import { groupDigits } from '../../kernel/plural.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { JOB_COLUMNS } from './columns.ts';
import { type JobListEntry, readJobEntries } from './status.ts';

export async function listJobs(
  context: Context,
  { options }: Invocation<{ readonly watch?: boolean | undefined }>,
) {
  if (options.watch) return watchJobs(context);
  const lines = await readJobEntries(context);
  const printer = await context.printer();
  const shown = (await context.format()) === 'table' ? lines.map(withOutcome) : lines;
  await printer.records(singlePage(shown), { columns: JOB_COLUMNS });
  if (lines.length === 0)
    await context.note('no jobs found; each bulk command with --file creates a job');
}

/** Shows what failed in place of `done`. */
function withOutcome(entry: JobListEntry): object {
  const { state, failed, unknown } = entry;
  if (state !== 'done' || failed + unknown === 0) return entry;
  const counts = [
    ...(failed > 0 ? [`${groupDigits(failed)} failed`] : []),
    ...(unknown > 0 ? [`${groupDigits(unknown)} unknown`] : []),
  ];
  return { ...entry, state: counts.join(', ') };
}

/** Polling interval, in milliseconds. */
const READ_INTERVAL = 1_000;

async function watchJobs(context: Context): Promise<void> {
  const shape = { columns: JOB_COLUMNS };
  let options = { ...context.options, pager: false };
  if ((await context.format()) !== 'table')
    await (await context.printer()).records(changedEntries(context), shape);
  else {
    for await (const entries of changedEntries(context)) {
      // A table is printed at its end, so each change gets its own.
      const { context: opened, close } = context.reopen({ options });
      await (await opened.printer()).records(singlePage(entries), shape).finally(close);
      options = { ...options, quiet: true };
    }
  }
  await context.note('no job is running');
}

async function* changedEntries(context: Context): AsyncGenerator<readonly JobListEntry[]> {
  const warned = new Set<string>();
  const warn = async (text: string) => {
    if (!warned.has(text)) await context.warn(text);
    warned.add(text);
  };
  const known = new Map<string, string>();
  for (;;) {
    const entries = await readJobEntries({ folders: context.folders, warn });
    const changed = entries.filter((entry) => known.get(entry.id) !== JSON.stringify(entry));
    for (const entry of changed) known.set(entry.id, JSON.stringify(entry));
    if (changed.length > 0) yield changed;
    if (entries.every(({ state }) => state !== 'running')) return;
    await context.clock.sleep(READ_INTERVAL, context.signal);
  }
}
