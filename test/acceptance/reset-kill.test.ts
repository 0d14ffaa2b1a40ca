import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listPendingRecoveries } from '../../src/profiles/recovery.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, type User } from './svc.ts';
import { type ResetFault, respondNormally, startTokenService } from './token-service.ts';

const KILLS = 100;
const AT_ONCE = 5;

/** Maximum delay in milliseconds before the service applies a reset, and again before it responds. */
const MAX_DELAY = 60;

/** Time in milliseconds that the delivery of a token takes at most, if the machine is not busy. */
const DELIVERY = 20;

/** Where the new token is after the kill, or why it is not available. */
type Place = 'not applied' | 'stdout' | 'file' | 'record' | 'told as lost' | 'ORPHAN';

/** Delays before it applies a reset and before it responds, even if the client was killed. */
function respondSlowly(settled: () => void): ResetFault {
  return (apply, response) => {
    setTimeout(() => {
      const token = apply();
      setTimeout(() => {
        respondNormally(() => token, response);
        settled();
      }, Math.random() * MAX_DELAY);
    }, Math.random() * MAX_DELAY);
  };
}

async function killOnce(index: number): Promise<Place> {
  const user = await newUserInProcess();
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const service = await startTokenService(respondSlowly(resolve));
  const words = ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-q', '--output-file', 'token.txt'];
  const child = spawn(process.execPath, [BIN, ...words], { cwd: user.home, env: { ...user.env, ...service.env } });
  let stdout = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  const closed = once(child, 'close');
  // One kill in four is at a random time, one just after the response, while the token is delivered, and the others are
  // close to the exchange.
  const moments = [
    { after: () => undefined, within: 400 },
    { after: () => settled, within: DELIVERY },
    { after: () => waitForReset(service.resets), within: 3 * MAX_DELAY },
    { after: () => waitForReset(service.resets), within: 3 * MAX_DELAY },
  ];
  const { after, within = 0 } = moments[index % moments.length] ?? {};
  await Promise.race([after?.(), closed]);
  await Promise.race([sleep(Math.random() * within), closed]);
  child.kill('SIGKILL');
  await closed;
  if (service.resets() > 0) await settled;
  return locateToken(user, service, stdout);
}

async function waitForReset(resets: () => number): Promise<void> {
  while (resets() === 0) await sleep(2);
}

async function locateToken(user: User, service: Awaited<ReturnType<typeof startTokenService>>, stdout: string): Promise<Place> {
  if (!service.isReplaced()) return 'not applied';
  const whole = `${service.current()}\n`;
  if (stdout === whole) return 'stdout';
  if ((await readFile(join(user.home, 'token.txt'), 'utf8').catch(() => '')) === whole) return 'file';
  const state = join(user.home, '.local', 'state', 'svc');
  const records = await listPendingRecoveries({ state, config: '', data: '' });
  if (records.some(({ record }) => record?.token === service.current())) return 'record';
  const { stdout: listed } = await user.svc(['auth', 'recover', '-o', 'json'], { env: service.env });
  const told = JSON.parse(listed) as { state: string }[];
  return told.some((line) => line.state === 'lost') ? 'told as lost' : 'ORPHAN';
}

it(`kill -9 at ${KILLS} moments never loses a token without a report`, { timeout: 120_000 }, async ({ annotate }) => {
  const places = new Map<Place, number>();
  let next = 0;
  const worker = async () => {
    while (next < KILLS) {
      const found = await killOnce(next++);
      places.set(found, (places.get(found) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seen = JSON.stringify(Object.fromEntries(places));
  await annotate(`where the token was: ${seen}`);
  expect(places.get('ORPHAN') ?? 0, seen).toBe(0);
  // The kills covered the critical moments.
  expect((places.get('told as lost') ?? 0) + (places.get('record') ?? 0), seen).toBeGreaterThan(5);
});
