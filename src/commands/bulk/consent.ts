import type { BulkRecord } from '../../bulk/record.ts';
import { amount, plural } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { type BatchCalls, inputOf } from './send.ts';
import { warnOf } from './warnings.ts';

/** Says what the operation warns of, and asks once before anything is sent where it can hurt. A dry run hurts nobody. */
export async function askAndWarn(context: Context, calls: BatchCalls, records: readonly BulkRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { operation, fields } = calls;
  const inputs =
    fields.field === undefined ? records.map((record) => inputOf(calls, [record])) : [inputOf(calls, records)];
  await warnOf(
    context,
    inputs.flatMap((input) => operation.warnings?.(input) ?? []),
  );
  if (context.options.dryRun) return;
  const asked = inputs.map((input) => operation.confirm?.(input)).filter((question) => question !== undefined);
  const [question, ...others] = new Set(asked);
  if (question === undefined) return calls.client.permitWrites();
  const alike = others.length > 0 ? ` And ${others.length} more of this kind.` : '';
  await context.confirm(`${question}${alike}${scope(fields, asked.length, records.length)}`);
  await calls.client.permitWrites();
}

/** What a question is about, where that is more than one record: ` (3 of 5 notifications)`. */
function scope({ field, noun }: BatchCalls['fields'], asked: number, total: number): string {
  if (total === 1) return '';
  return field === undefined && asked < total ? ` (${asked} of ${total} ${plural(noun)})` : ` (${amount(total, noun)})`;
}
