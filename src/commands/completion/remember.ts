import type { OperationEntry } from '../../catalog/manifest.ts';
import type { Answer } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { FoundIds } from './found-ids.ts';

/** Passes the answers of a read on, and keeps the ids in them for completion once they have all gone by. */
export async function* remembered(
  context: Context,
  { resource, effect }: OperationEntry,
  inputs: readonly unknown[],
  answers: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<Answer<unknown>> {
  const found = new FoundIds(resource);
  let answered = false;
  try {
    for await (const answer of answers) {
      answered = true;
      if (effect === 'read') found.look(answer.data);
      yield answer;
    }
  } finally {
    if (answered && effect === 'read') {
      found.look(inputs);
      const { rememberIds } = await import('./id-cache.ts');
      const { local } = context.options;
      const profile = local ? undefined : (await context.openSettings()).profile?.value;
      await rememberIds(context, { local, profile }, found.ids);
    }
  }
}
