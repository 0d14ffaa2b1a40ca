/**
 * The plainest client that bench/bulk.ts measures against: lines are put into batches unparsed,
 * sent with Node's own HTTP client, and of each answer every item's success is looked at. No checks, no
 * journal, nothing for the case of a failure.
 *
 * `node plain-client.ts <url> <file.ndjson> <in flight>` prints `{"succeeded","seconds"}`.
 */
import { createReadStream } from 'node:fs';
import { Agent, request } from 'node:http';

const BATCH = 100;

const [url = '', file = '', inFlight = '16'] = process.argv.slice(2);
const connections = Number(inFlight);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const { hostname, port } = new URL(url);
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
agent.destroy();

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
  const text = await post(`{"data":{"organizationId":"acme","users":[${users}]}}`);
  const { result } = JSON.parse(text) as {
    result: { data: Record<string, { success: unknown }> };
  };
  for (const item of Object.values(result.data)) if (item.success === true) succeeded += 1;
}

function post(body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: '/v1/users/add', method: 'POST', headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => resolve(Buffer.concat(chunks).toString()))
        .on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}
