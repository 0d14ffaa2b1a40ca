import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../src/service/store/location.ts';

/**
 * Process that adds users to the store on its command line, one per call. Exits with 1 if a call
 * fails.
 */
const [store = '', prefix = '', count = ''] = process.argv.slice(2);
const folders = { config: '', state: '', data: '' };
const { fetch, target, close } = await openEmbedded(await resolveStoreLocation(store, folders), {
  clock: systemClock,
});
const { apiKey, authToken } = target.key;
const headers = {
  'content-type': 'application/json',
  'x-svc-api-key': apiKey,
  'x-svc-auth-token': authToken,
};
for (let n = 0; n < Number(count); n++) {
  const body = JSON.stringify({
    data: { organizationId: 'acme', users: [{ userId: `${prefix}${n}` }] },
  });
  const response = await fetch(`${target.baseUrl}/v1/users/add`, { method: 'POST', headers, body });
  if (!response.ok) process.exitCode = 1;
}
await close();
