import type { SecretPath } from '../../catalog/secrets.ts';
import type { CallResult } from '../../client/client.ts';
import { redactValue } from '../../kernel/redact.ts';
import { mergePages } from '../call/print-results.ts';
import type { Context } from '../context.ts';
import type { KnownOperation } from './known-operation.ts';
import type { PageFinder } from './next-page.ts';

export interface RawResultOptions {
  readonly known: KnownOperation | undefined;
  readonly paginate: boolean;
  readonly nextPage: PageFinder;
}

/** Prints the results of a raw call. Merges pages into one list or one object. */
export async function showRawResults(
  context: Context,
  results: AsyncGenerator<CallResult<unknown>>,
  { known, paginate, nextPage }: RawResultOptions,
): Promise<void> {
  const { value: first, done } = await results.next();
  if (done) return;
  const [printer, { envelope }] = [await context.printer(), context.options];
  const mask = createMask(context, known);
  const secrets = secretsOf(known, envelope);
  const merges = paginate && !envelope && typeof first.data === 'object' && first.data !== null;
  if (merges && Array.isArray(first.data)) {
    return printer.records(listsOf(first, results, mask), { secrets });
  }
  const all = merges ? mergePages(prepend(first, results)) : prepend(first, results);
  for await (const result of all) {
    await printer.value(mask(envelope ? result.result : result.data), { secrets });
    if (!paginate && nextPage(result)) await context.note('more pages are available: add --paginate');
  }
}

/** Creates a function that masks secrets by field name. For a known path, the printer masks them by the catalog. */
function createMask({ options }: Context, known: KnownOperation | undefined): (value: unknown) => unknown {
  return known || options.showSecrets ? (value) => value : (value) => redactValue(value, []);
}

function secretsOf(known: KnownOperation | undefined, envelope: boolean): readonly SecretPath[] {
  const { secrets = [] } = known?.entry ?? {};
  return envelope ? secrets.map((path) => ['data', ...path]) : secrets;
}

async function* listsOf(
  first: CallResult<unknown>,
  others: AsyncIterable<CallResult<unknown>>,
  mask: (value: unknown) => unknown,
): AsyncGenerator<readonly unknown[]> {
  for await (const { data } of prepend(first, others)) if (Array.isArray(data)) yield data.map(mask);
}

async function* prepend<Item>(first: Item, others: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* others;
}
