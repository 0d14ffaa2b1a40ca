import { startDeliveries } from '../../service/deliveries/engine.ts';
import { storeLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import type { Context } from '../context.ts';
import { troubleTeller } from '../embedded/troubles.ts';

/** Delivers what the embedded service has in its outbox, until the function that it gives is called. */
export async function localDeliveries(context: Context): Promise<() => Promise<void>> {
  const { options, folders, clock, signal } = context;
  const store = await openStore(await storeLocation(options.store, folders), { signal });
  const report = troubleTeller(context);
  const deliveries = startDeliveries(store, { clock, privateTargets: true, report });
  return async () => {
    await deliveries.stop();
    await store.close();
  };
}
