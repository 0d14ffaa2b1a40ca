import { findJob } from '../../bulk/journal/folder.ts';
import { receiptText } from '../../output/receipt/receipt-text.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { readReceipt } from './receipt.ts';

/** Prints the receipt of a job: what was sent from where to where, what came of it, and how long it took. */
export async function showJob(context: Context, { arguments: [job = ''] }: Invocation): Promise<void> {
  const receipt = await readReceipt(await findJob(context.folders, job));
  const { input, path, histogram: _histogram, ...rest } = receipt;
  const { format, bytes, sha256 } = input;
  const { id, operation, state, ...others } = rest;
  const printer = await context.printer();
  await printer.value(
    { id, operation, state, input: { path, format, bytes, sha256 }, ...others },
    { drawing: () => receiptText(receipt, { plain: Boolean(context.environment['ACCESSIBLE']) }) },
  );
}
