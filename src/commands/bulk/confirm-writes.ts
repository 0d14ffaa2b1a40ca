import type { RecordListener } from '../../bulk/record-checker.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Client } from '../../client/client.ts';
import type { Hint } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';

const MAX_TEXTS = 1_000;

export function collectConfirmations(
  { warnings: warn, confirm: ask }: Operation,
  fields: BulkFields,
  data: Readonly<Record<string, unknown>>,
) {
  const warnings = new Set<string | Hint>();
  const questions = new Set<string>();
  let recordsInQuestion = 0;
  const visitRecord: RecordListener = (value, target) => {
    const input =
      fields.field === undefined ? value : { ...data, ...target?.data, [fields.field]: [value] };
    if (!isObject(input)) return;
    for (const warning of warn?.(input) ?? []) if (warnings.size < MAX_TEXTS) warnings.add(warning);
    const question = ask?.(input);
    if (question === undefined) return;
    if (questions.size < MAX_TEXTS) questions.add(question);
    recordsInQuestion += 1;
  };
  return {
    /**
     * Function to call with each record to be sent. Undefined if the operation has no warnings or
     * questions.
     */
    visitRecord: warn || ask ? visitRecord : undefined,
    showWarnings: (context: Context) => showWarnings(context, warnings),
    async confirm(context: Context, client: Client, records: number): Promise<void> {
      await showWarnings(context, warnings);
      if (context.options.dryRun) return;
      const [question, ...others] = questions;
      const more = others.length > 0 ? ` And ${others.length} more like this.` : '';
      if (question !== undefined)
        await context.confirm(
          `${question}${more}${affectedRecords(fields, recordsInQuestion, records)}`,
        );
      await client.ensureWritesAllowed();
    },
  };
}

function affectedRecords({ field, noun }: BulkFields, inQuestion: number, total: number): string {
  if (total === 1 && field === undefined) return '';
  return field === undefined && inQuestion < total
    ? ` (${inQuestion} of ${total} ${pluralize(noun)})`
    : ` (${formatNounCount(total, noun)})`;
}

const MAX_SHOWN_WARNINGS = 5;

export async function showWarnings(
  context: Context,
  warnings: Iterable<string | Hint>,
): Promise<void> {
  const distinct = [...new Set(warnings)];
  for (const warning of distinct.slice(0, MAX_SHOWN_WARNINGS)) await context.warn(warning);
  const more = distinct.length - MAX_SHOWN_WARNINGS;
  if (more > 0) await context.warn(`and ${more} more`);
}
