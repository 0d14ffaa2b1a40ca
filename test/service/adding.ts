import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { storeLocation } from '../../src/service/store/location.ts';

/** A process of its own that adds users to the store named on its command line, one a call, and exits 1 when one fails. */
const [store = '', prefix = '', count = ''] = process.argv.slice(2);
const folders = { config: '', state: '', data: '' };
const { fetch, target, close } = await openEmbedded(await storeLocation(store, folders), { clock: systemClock });
const { apiKey, authToken } = target.key;
const headers = { 'content-type': 'application/json', 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
for (let n = 0; n < Number(count); n++) {
  const body = JSON.stringify({ data: { organizationId: 'acme', users: [{ userId: `${prefix}${n}` }] } });
  const response = await fetch(`${target.baseUrl}/v1/users/add`, { method: 'POST', headers, body });
  if (!response.ok) process.exitCode = 1;
}
await close();
