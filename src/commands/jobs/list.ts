import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { JOB_COLUMNS } from './columns.ts';
import type { ListFlags } from './flags.ts';
import { readEntries } from './list-entries.ts';

export async function listJobs(context: Context, { options }: Invocation<ListFlags>): Promise<void> {
  if (options.watch) return (await import('./watch-list.ts')).watchJobs(context);
  const lines = await readEntries(context);
  const printer = await context.printer();
  await printer.records(singlePage(lines), { columns: JOB_COLUMNS });
  if (lines.length === 0) await context.note('no jobs found; each bulk command with --file creates a job');
}
