import { jsonDocument } from '../../output/json.ts';
import type { Context } from '../context.ts';

/** Prints a JSON document of our own making, which no table could show: where a table is asked for, it is JSON. */
export async function showDocument(context: Context, document: unknown): Promise<void> {
  const printer = await context.printer();
  await printer.value(document, { drawing: ({ isTerminal }) => jsonDocument(document, isTerminal) });
}
