import { startDeliveries } from '../../service/deliveries/engine.ts';
import { createServiceClock } from '../../service/local/clock.ts';
import { createDevelopmentState } from '../../service/local/state.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import type { Context } from '../context.ts';
import { createErrorReporter } from '../terminal/error-reporter.ts';

export async function startLocalDeliveries(context: Context): Promise<() => Promise<void>> {
  const { options, folders, clock, signal } = context;
  const store = await openStore(await resolveStoreLocation(options.store, folders), { signal });
  const report = createErrorReporter(context);
  const time = createServiceClock(clock, createDevelopmentState(store));
  const deliveries = startDeliveries(store, { clock, time, allowPrivateTargets: true, report });
  return async () => {
    await deliveries.stop();
    await store.close();
  };
}
