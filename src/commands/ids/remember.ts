import type { OperationEntry } from '../../catalog/manifest.ts';
import type { Answer } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { FoundIds } from './found-ids.ts';

/**
 * Passes answers on, and keeps the ids in them and in what was asked for completion once they have all gone by: a
 * service that answers knows them, and those of groups stand in no answer. What was deleted is forgotten.
 */
export async function* remembered(
  context: Context,
  entry: OperationEntry,
  inputs: readonly unknown[],
  answers: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<Answer<unknown>> {
  const found = new FoundIds(entry.resource);
  let answered = 0;
  try {
    for await (const answer of answers) {
      answered += 1;
      found.look(answer.data);
      yield answer;
    }
  } finally {
    if (answered > 0) {
      found.look(entry.effect === 'read' ? inputs : inputs.slice(0, answered));
      await keepIds(context, found, entry);
    }
  }
}

/** Keeps what was found with the other ids of the profile, or takes the deleted ones from them. */
export async function keepIds(context: Context, found: FoundIds, { effect }: OperationEntry): Promise<void> {
  if (found.ids.size === 0) return;
  const { forgetIds, rememberIds } = await import('./id-cache.ts');
  const { local } = context.options;
  const profile = local ? undefined : (await context.openSettings()).profile?.value;
  if (effect === 'delete') await forgetIds(context, { local, profile }, found.ownIds);
  else await rememberIds(context, { local, profile }, found.ids);
}
