import type { Context } from '../context.ts';

/** Warnings that are shown; records of one kind tend to have the same one, and people stop reading. */
const SHOWN_WARNINGS = 5;

/** Warns of each thing once, and counts what goes beyond the first few. */
export async function warnOf(context: Context, warnings: Iterable<string>): Promise<void> {
  const distinct = [...new Set(warnings)];
  for (const warning of distinct.slice(0, SHOWN_WARNINGS)) await context.warn(warning);
  const more = distinct.length - SHOWN_WARNINGS;
  if (more > 0) await context.warn(`and ${more} more`);
}
