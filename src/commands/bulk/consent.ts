import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { isObject } from '../../kernel/is-object.ts';
import { amount, plural } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import type { BatchCalls } from './send.ts';
import { warnOf } from './warnings.ts';

/** Distinct warnings and questions that are kept: people read a few. */
const MOST_KEPT = 1_000;

/** What an operation warns of and asks about its records, gathered while they are read: as much for many as for few. */
export class Concerns {
  readonly #operation: Operation;
  readonly #fields: BulkFields;
  readonly #data: Readonly<Record<string, unknown>>;
  readonly warnings = new Set<string>();
  readonly questions = new Set<string>();
  /** Records that a question is about. */
  asked = 0;

  constructor(operation: Operation, fields: BulkFields, data: Readonly<Record<string, unknown>>) {
    this.#operation = operation;
    this.#fields = fields;
    this.#data = data;
  }

  /** Takes a record as it will be sent; undefined where the operation has nothing to say about any. */
  get hear(): ((value: unknown) => void) | undefined {
    const { warnings, confirm } = this.#operation;
    return warnings || confirm ? (value) => this.#take(value) : undefined;
  }

  #take(value: unknown): void {
    const { field } = this.#fields;
    const input = field === undefined ? value : { ...this.#data, [field]: [value] };
    if (!isObject(input)) return;
    for (const warning of this.#operation.warnings?.(input) ?? []) keep(this.warnings, warning);
    const question = this.#operation.confirm?.(input);
    if (question === undefined) return;
    keep(this.questions, question);
    this.asked += 1;
  }
}

function keep(texts: Set<string>, text: string): void {
  if (texts.size < MOST_KEPT) texts.add(text);
}

/** Says what the operation warns of, and asks once before anything is sent where it can hurt. A dry run hurts nobody. */
export async function askAndWarn(
  context: Context,
  { client, fields }: BatchCalls,
  concerns: Concerns,
  records: number,
): Promise<void> {
  if (records === 0) return;
  await warnOf(context, concerns.warnings);
  if (context.options.dryRun) return;
  const [question, ...others] = concerns.questions;
  if (question === undefined) return client.permitWrites();
  const alike = others.length > 0 ? ` And ${others.length} more of this kind.` : '';
  await context.confirm(`${question}${alike}${scope(fields, concerns.asked, records)}`);
  await client.permitWrites();
}

/** What a question is about, where that is more than one record: ` (3 of 5 notifications)`. */
function scope({ field, noun }: BatchCalls['fields'], asked: number, total: number): string {
  if (total === 1) return '';
  return field === undefined && asked < total ? ` (${asked} of ${total} ${plural(noun)})` : ` (${amount(total, noun)})`;
}
