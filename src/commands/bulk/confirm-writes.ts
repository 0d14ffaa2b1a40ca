import type { BatchCalls } from '../../bulk/request-sender.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Hint } from '../../kernel/hint.ts';
import { isObject } from '../../kernel/is-object.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { showWarnings } from './show-warnings.ts';

const MAX_TEXTS = 1_000;

/** Collects warnings and confirmation questions while records are read, in bounded memory. */
export class ConfirmationCollector {
  readonly #operation: Operation;
  readonly #fields: BulkFields;
  readonly #data: Readonly<Record<string, unknown>>;
  readonly warnings = new Set<string | Hint>();
  readonly questions = new Set<string>();
  recordsInQuestion = 0;

  constructor(operation: Operation, fields: BulkFields, data: Readonly<Record<string, unknown>>) {
    this.#operation = operation;
    this.#fields = fields;
    this.#data = data;
  }

  /** Function to call with each record to be sent. Undefined if the operation has no warnings or questions. */
  get visitor(): ((value: unknown) => void) | undefined {
    const { warnings, confirm } = this.#operation;
    return warnings || confirm ? (value) => this.#inspect(value) : undefined;
  }

  #inspect(value: unknown): void {
    const { field } = this.#fields;
    const input = field === undefined ? value : { ...this.#data, [field]: [value] };
    if (!isObject(input)) return;
    for (const warning of this.#operation.warnings?.(input) ?? []) addCapped(this.warnings, warning);
    const question = this.#operation.confirm?.(input);
    if (question === undefined) return;
    addCapped(this.questions, question);
    this.recordsInQuestion += 1;
  }
}

function addCapped<Text extends string | Hint>(texts: Set<Text>, text: Text): void {
  if (texts.size < MAX_TEXTS) texts.add(text);
}

/** Prints the warnings and asks for confirmation once, before the first request. A dry run skips the confirmation. */
export async function confirmWrites(
  context: Context,
  { client, fields }: BatchCalls,
  confirmations: ConfirmationCollector,
  records: number,
): Promise<void> {
  if (records === 0) return;
  await showWarnings(context, confirmations.warnings);
  if (context.options.dryRun) return;
  const [question, ...others] = confirmations.questions;
  if (question === undefined) return client.ensureWritesAllowed();
  const more = others.length > 0 ? ` And ${others.length} more like this.` : '';
  await context.confirm(`${question}${more}${affectedRecords(fields, confirmations.recordsInQuestion, records)}`);
  await client.ensureWritesAllowed();
}

/** Describes the records that a question affects: ` (3 of 5 notifications)`. Empty for a single call. */
function affectedRecords({ field, noun }: BatchCalls['fields'], inQuestion: number, total: number): string {
  if (total === 1 && field === undefined) return '';
  return field === undefined && inQuestion < total
    ? ` (${inQuestion} of ${total} ${pluralize(noun)})`
    : ` (${formatNounCount(total, noun)})`;
}
