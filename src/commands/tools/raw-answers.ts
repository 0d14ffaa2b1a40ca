import type { SecretPath } from '../../catalog/secrets.ts';
import type { Answer } from '../../client/client.ts';
import { redactValue } from '../../kernel/redact.ts';
import { mergedPages } from '../call/answers.ts';
import type { Context } from '../context.ts';
import type { KnownOperation } from './known-operation.ts';
import type { NextPage } from './next-page.ts';

export interface RawAnswers {
  readonly known: KnownOperation | undefined;
  readonly paginate: boolean;
  readonly next: NextPage;
}

/** Prints the answers of a raw call: pages that are lists as one list, pages that are objects as one object. */
export async function showRawAnswers(
  context: Context,
  answers: AsyncGenerator<Answer<unknown>>,
  { known, paginate, next }: RawAnswers,
): Promise<void> {
  const { value: first, done } = await answers.next();
  if (done) return;
  const [printer, { envelope }] = [await context.printer(), context.options];
  const show = masking(context, known);
  const secrets = secretsOf(known, envelope);
  const merges = paginate && !envelope && typeof first.data === 'object' && first.data !== null;
  if (merges && Array.isArray(first.data)) {
    return printer.records(listsOf(first, answers, show), { secrets });
  }
  const all = merges ? mergedPages(resumed(first, answers)) : resumed(first, answers);
  for await (const answer of all) {
    await printer.value(show(envelope ? answer.result : answer.data), { secrets });
    if (!paginate && next(answer)) await context.note('there is more: add --paginate');
  }
}

/** What is known of a path says where its secrets are; elsewhere they go by the names of fields. */
function masking({ options }: Context, known: KnownOperation | undefined): (value: unknown) => unknown {
  return known || options.showSecrets ? (value) => value : (value) => redactValue(value, []);
}

function secretsOf(known: KnownOperation | undefined, envelope: boolean): readonly SecretPath[] {
  const { secrets = [] } = known?.entry ?? {};
  return envelope ? secrets.map((path) => ['data', ...path]) : secrets;
}

async function* listsOf(
  first: Answer<unknown>,
  others: AsyncIterable<Answer<unknown>>,
  show: (value: unknown) => unknown,
): AsyncGenerator<readonly unknown[]> {
  for await (const { data } of resumed(first, others)) if (Array.isArray(data)) yield data.map(show);
}

async function* resumed<Item>(first: Item, others: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* others;
}
