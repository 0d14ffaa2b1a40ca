import type { Hint } from '../../kernel/hint.ts';
import type { Context } from '../context.ts';

const MAX_SHOWN_WARNINGS = 5;

/** Prints the first distinct warnings, and the number of the others. */
export async function showWarnings(context: Context, warnings: Iterable<string | Hint>): Promise<void> {
  const distinct = [...new Set(warnings)];
  for (const warning of distinct.slice(0, MAX_SHOWN_WARNINGS)) await context.warn(warning);
  const more = distinct.length - MAX_SHOWN_WARNINGS;
  if (more > 0) await context.warn(`and ${more} more`);
}
