/**
 * The plainest client that bench/bulk.ts measures against: lines are put into batches unparsed,
 * sent over an undici Pool, and of each answer every item's success is looked at. No checks, no
 * journal, nothing for the case of a failure.
 *
 * `node plain-client.ts <url> <file.ndjson> <in flight>` prints `{"succeeded","seconds"}`.
 */
import { createReadStream } from 'node:fs';
import { Pool } from 'undici';

const BATCH = 100;

const [url = '', file = '', inFlight = '16'] = process.argv.slice(2);
const connections = Number(inFlight);
const pool = new Pool(url, { connections, pipelining: 1, allowH2: false });
const headers = {
  'content-type': 'application/json',
  'x-svc-api-key': 'bench',
  'x-svc-auth-token': 'bench',
};

let succeeded = 0;
let flying = 0;
let landed: (() => void) | undefined;
const aLanding = () =>
  new Promise<void>((resolve) => {
    landed = resolve;
  });

const start = performance.now();
let batch: string[] = [];
let cut = '';
for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
  const lines = (cut + chunk).split('\n');
  cut = lines.pop() ?? '';
  for (const line of lines) {
    batch.push(line);
    if (batch.length === BATCH) await launch();
  }
}
if (batch.length > 0) await launch();
while (flying > 0) await aLanding();
console.log(JSON.stringify({ succeeded, seconds: (performance.now() - start) / 1000 }));
await pool.close();

async function launch(): Promise<void> {
  const users = batch.join(',');
  batch = [];
  while (flying >= connections) await aLanding();
  flying += 1;
  void send(users).then(() => {
    flying -= 1;
    landed?.();
  });
}

async function send(users: string): Promise<void> {
  const body = `{"data":{"organizationId":"acme","users":[${users}]}}`;
  const answer = await pool.request({ method: 'POST', path: '/v1/users/add', headers, body });
  const { result } = (await answer.body.json()) as {
    result: { data: Record<string, { success: unknown }> };
  };
  for (const item of Object.values(result.data)) if (item.success === true) succeeded += 1;
}
