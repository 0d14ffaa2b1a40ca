import { groupDigits } from '../../kernel/plural.ts';
import type { ResultShape } from '../../output/printer.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { watchRecords } from '../terminal/watch-records.ts';
import { JOB_COLUMNS, JOB_TABLE_COLUMNS } from './columns.ts';
import { type JobListEntry, readJobEntries } from './status.ts';

export async function listJobs(
  context: Context,
  { options }: Invocation<{ readonly watch?: boolean | undefined }>,
) {
  if (options.watch) return watchJobs(context);
  const entries = await readJobEntries(context);
  await (await context.printer()).value(entries, shapeOf(entries));
  if (entries.length === 0)
    await context.note('no jobs found; each bulk command with --file creates a job');
}

function shapeOf(entries: readonly JobListEntry[]): ResultShape {
  return {
    columns: JOB_COLUMNS,
    table: { rows: entries.map(toRow), columns: JOB_TABLE_COLUMNS },
  };
}

/** Shows what failed in place of `done`. */
function toRow({ skipped, existing, ...entry }: JobListEntry): object {
  const { state, failed, unknown } = entry;
  const row = { ...entry, existing, notSent: skipped - existing };
  if (state !== 'done' || failed + unknown === 0) return row;
  const counts = [
    ...(failed > 0 ? [`${groupDigits(failed)} failed`] : []),
    ...(unknown > 0 ? [`${groupDigits(unknown)} unknown`] : []),
  ];
  return { ...row, state: counts.join(', ') };
}

async function watchJobs(context: Context): Promise<void> {
  const warned = new Set<string>();
  const warn = async (text: string) => {
    if (!warned.has(text)) await context.warn(text);
    warned.add(text);
  };
  await watchRecords(context, {
    read: () => readJobEntries({ folders: context.folders, warn }),
    idOf: ({ id }) => id,
    shapeOf,
    isFinal: (entries) => entries.every(({ state }) => state !== 'running'),
  });
  await context.note('no job is running');
}
