import { localCredentials } from '../../service/bootstrap.ts';
import { storeLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import type { Store } from '../../service/store/store.ts';
import type { Context } from '../context.ts';

/** The embedded service's data, opened while `work` runs, and the API key that `--local` uses. */
export async function withStore<Result>(
  { options, folders }: Context,
  work: (store: Store, apiKey: string) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(await storeLocation(options.store, folders));
  try {
    const { apiKey } = await localCredentials(store);
    return await work(store, apiKey);
  } finally {
    await store.close();
  }
}
