import { formatJsonDocument } from '../../output/json.ts';
import type { Context } from '../context.ts';

/** Prints a document without a table form, such as a JSON Schema. The table format prints JSON. */
export async function printDocument(context: Context, document: unknown): Promise<void> {
  const printer = await context.printer();
  await printer.value(document, {
    renderText: ({ isTerminal }) => formatJsonDocument(document, isTerminal),
  });
}
