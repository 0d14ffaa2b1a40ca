import type { Context } from '../context.ts';

/** Lines on stderr, with nothing before the first that is not there. */
export async function tell({ note }: Pick<Context, 'note'>, lines: readonly string[]): Promise<void> {
  for (const line of lines) await note(line);
}

/** An offer, which `--yes` does not take: it answers the questions without which the command would end. */
export async function offers(context: Context, question: string): Promise<boolean> {
  if (context.options.yes || context.options.dryRun) return false;
  return (await context.asker()).yes(question, false);
}

/** Names and values in two columns. */
export function twoColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}
