import { formatJsonDocument } from '../../output/json.ts';
import type { Context } from '../context.ts';

/** Prints a document that svc created and that no table can show. The table format prints it as JSON. */
export async function printDocument(context: Context, document: unknown): Promise<void> {
  const printer = await context.printer();
  await printer.value(document, { renderText: ({ isTerminal }) => formatJsonDocument(document, isTerminal) });
}
