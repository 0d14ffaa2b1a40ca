/**
 * The service that bench/bulk.ts measures against, as a process of its own: it answers each user of
 * a request by its id with success, and does as little as it can for that. The first line on stdout
 * is `{"url"}`; `--delay <ms>` holds back each answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const delay = Number(process.argv[process.argv.indexOf('--delay') + 1] ?? 0) || 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const answer = answerTo(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const send = () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': answer.length,
      });
      response.end(answer);
    };
    if (delay > 0) setTimeout(send, delay);
    else send();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(
    JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
});

/** Finds the ids by their key instead of parsing, so that the service is not what is measured. */
function answerTo(body: Buffer): Buffer {
  const text = body.toString('latin1');
  const items: string[] = [];
  for (let at = text.indexOf(KEY); at >= 0; at = text.indexOf(KEY, at)) {
    at += KEY.length;
    const end = text.indexOf('"', at);
    items.push(
      `"${text.slice(at, end)}":{"success":true,"id":"0123456789abcdef0123456789abcdef","message":"User added."}`,
    );
  }
  return Buffer.from(
    `{"result":{"status":"success","message":"User(s) processed successfully.","data":{${items.join(',')}}}}`,
    'latin1',
  );
}

const KEY = '"userId":"';
