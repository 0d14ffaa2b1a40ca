import { SvcError } from '../../kernel/errors.ts';
import { localCredentials } from '../../service/bootstrap.ts';
import { Refusal } from '../../service/refusal.ts';
import { storeLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import type { Store } from '../../service/store/store.ts';
import type { Context } from '../context.ts';

/**
 * The embedded service's data, opened while `work` runs, and the API key that `--local` uses.
 * @param effect what `work` does, which decides what it means when the store is lost meanwhile
 * @throws SvcError for what the store refuses as well
 */
export async function withStore<Result>(
  { options, folders, signal }: Context,
  effect: 'read' | 'write',
  work: (store: Store, apiKey: string) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(await storeLocation(options.store, folders), { signal });
  try {
    const { apiKey } = await localCredentials(store);
    return await work(store, apiKey);
  } catch (error) {
    throw error instanceof Refusal ? asFailure(error, effect) : error;
  } finally {
    await store.close();
  }
}

function asFailure(error: Refusal, effect: 'read' | 'write'): SvcError {
  const { status, message, cause } = error;
  if (status !== 'UNAVAILABLE') return new SvcError('bad_data', message, { status, cause });
  if (cause === undefined) {
    return new SvcError('locked', message, { status, hint: 'others write to it: run the command again' });
  }
  if (effect === 'read') {
    return new SvcError('unreachable', message, { status, hint: 'run the command again', cause });
  }
  const hint = 'all of it was applied, or nothing: look before you run the command again';
  return new SvcError('outcome_unknown', message, { status, hint, cause });
}
