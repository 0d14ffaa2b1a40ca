import { startDeliveries } from '../../service/deliveries/engine.ts';
import { storeLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import type { Context } from '../context.ts';

/** Delivers what the embedded service has in its outbox, until the function that it gives is called. */
export async function localDeliveries({ options, folders, clock, warn }: Context): Promise<() => Promise<void>> {
  const store = await openStore(await storeLocation(options.store, folders));
  const report = (error: unknown) => void warn(`internal error: ${String(error)}`);
  const deliveries = startDeliveries(store, { clock, privateTargets: true, report });
  return async () => {
    await deliveries.stop();
    await store.close();
  };
}
