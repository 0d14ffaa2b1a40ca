import { systemClock } from '../../src/kernel/clock.ts';
import { createService } from '../../src/service/embedded.ts';
import { ensureLocalCredentials } from '../../src/service/records/bootstrap.ts';
import { startServer } from '../../src/service/server.ts';
import { lockForServing } from '../../src/service/store/location.ts';
import { openStore } from '../../src/service/store/open.ts';

/** Process that serves the store on its command line until it is killed. */
const [location = ''] = process.argv.slice(2);
await lockForServing(location, systemClock);
const store = await openStore(location);
const { handle } = createService({ store, clock: systemClock });
const { url } = await startServer(handle, { host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ url, ...(await ensureLocalCredentials(store)) })}\n`);
