import { systemClock } from '../../src/kernel/clock.ts';
import { openLocalService } from '../../src/service/local.ts';

/** A process of its own that adds users to the store named on its command line, one a call, and exits 1 when one fails. */
const [store = '', prefix = '', count = ''] = process.argv.slice(2);
const folders = { config: '', state: '', data: '' };
const { fetch, target, close } = await openLocalService({ folders, clock: systemClock, store });
const { apiKey, authToken } = target.key;
const headers = { 'content-type': 'application/json', 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
for (let n = 0; n < Number(count); n++) {
  const body = JSON.stringify({ data: { organizationId: 'acme', users: [{ userId: `${prefix}${n}` }] } });
  const response = await fetch(`${target.baseUrl}/v1/users/add`, { method: 'POST', headers, body });
  if (!response.ok) process.exitCode = 1;
}
await close();
