import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/library/client.ts';
import { createService } from '../../../src/library/service.ts';
import { emptyStoreLocation, isPostgres } from '../store-location.ts';

describe('rules of a store', () => {
  it('are changed during the run, by any process on the store, and count requests across them', async () => {
    const store = await emptyStoreLocation();
    const [one, other] = [await createService({ store }), await createService({ store })];
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    const add = async ({ client: settings }: typeof one) => {
      const client = createClient({ ...settings, maxWait: 0 });
      return client.call('organizations.add', { organizations: [{ organizationId: 'acme' }] });
    };
    await add(other);
    await one.faults.add({ on: 'organizations.add', nth: 2, status: 'PERMISSION_DENIED' });
    await add(other);
    // Without a file beside the store, each process counts its own requests.
    if (isPostgres) await add(one);
    await expect(add(one)).rejects.toThrow("Fault 'fault-1'.");
    await add(one);
    expect((await other.faults.list()).faults).toHaveLength(1);
    await other.faults.clear();
    expect(await one.faults.list()).toEqual({ seed: 1, faults: [] });
  });

  it('of the settings end with the service', async () => {
    const store = await emptyStoreLocation();
    const service = await createService({
      store,
      faults: { faults: [{ on: '*', status: 'INTERNAL' }] },
    });
    await service.close();
    const next = await createService({ store });
    onTestFinished(next.close);
    expect((await next.faults.list()).faults).toEqual([]);
  });
});
