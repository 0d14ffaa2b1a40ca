import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listPendingRecoveries } from '../../src/profiles/recovery.ts';
import { copyAsKilled } from '../copy-as-killed.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, type User } from './svc.ts';
import { type ResetFault, respondNormally, startTokenService } from './token-service.ts';

const KILLS = repeats(5);
const MOMENTS = 10;
const AT_ONCE = 5;

/** Time in milliseconds until a reset is requested, if the machine is not busy. */
const START = 200;

/**
 * Maximum delay in milliseconds before the service applies a reset, and again before it responds.
 */
const MAX_DELAY = 60;

/** Time in milliseconds that the delivery of a token takes at most, if the machine is not busy. */
const DELIVERY = 20;

/** Location of the new token after the kill, or the reason why it is not available. */
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

/**
 * Resets a token, and finds the new one after a kill, and after kills at earlier moments, of which
 * it keeps the files.
 */
async function resetAndKill(): Promise<Place[]> {
  const user = await newUserInProcess();
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const service = await startTokenService(respondSlowly(resolve));
  const words = [
    'auth-tokens',
    'reset',
    '--api-key',
    'key-1',
    '--yes',
    '-q',
    '--output-file',
    'token.txt',
  ];
  const child = spawn(process.execPath, [BIN, ...words], {
    cwd: user.home,
    env: { ...user.env, ...service.env },
  });
  let stdout = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  const closed = once(child, 'close');
  const copies: {
    readonly home: string;
    readonly stdout: string;
    readonly isRequested: boolean;
  }[] = [];
  const copyLater = async (within: number) => {
    await Promise.race([sleep(Math.random() * within), closed]);
    const home = await copyAsKilled(child, user.home);
    copies.push({ home, stdout, isRequested: service.resets() > 0 });
  };
  await copyLater(START / 2);
  await copyLater(START / 2);
  await Promise.race([waitForReset(service.resets), closed]);
  for (let copied = 0; copied < 4; copied++) await copyLater(MAX_DELAY / 2);
  await settled;
  for (let copied = 0; copied < 3; copied++) await copyLater(DELIVERY / 2);
  await Promise.race([sleep(Math.random() * DELIVERY), closed]);
  child.kill('SIGKILL');
  await closed;
  copies.push({ home: user.home, stdout, isRequested: true });
  return Promise.all(
    copies.map((copy) =>
      copy.isRequested ? locateToken(user, copy.home, service, copy.stdout) : 'not applied',
    ),
  );
}

async function waitForReset(resets: () => number): Promise<void> {
  while (resets() === 0) await sleep(2);
}

async function locateToken(
  user: User,
  home: string,
  service: Awaited<ReturnType<typeof startTokenService>>,
  stdout: string,
): Promise<Place> {
  const whole = `${service.current()}\n`;
  if (stdout === whole) return 'stdout';
  if ((await readFile(join(home, 'token.txt'), 'utf8').catch(() => '')) === whole) return 'file';
  const state = join(home, '.local', 'state', 'svc');
  const records = await listPendingRecoveries({ state, config: '', data: '' });
  if (records.some(({ record }) => record?.token === service.current())) return 'record';
  const { stdout: listed } = await user.svc(['auth-tokens', 'recover', '-o', 'json'], {
    env: { ...service.env, HOME: home },
  });
  const told = JSON.parse(listed) as { state: string }[];
  return told.some((line) => line.state === 'lost') ? 'told as lost' : 'ORPHAN';
}

it(
  `kill -9 at ${KILLS * MOMENTS} moments never loses a token without a report`,
  SLOW,
  async ({ annotate }) => {
    const places = new Map<Place, number>();
    let kills = 0;
    const worker = async () => {
      while (kills < KILLS) {
        kills += 1;
        for (const found of await resetAndKill()) places.set(found, (places.get(found) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const seen = JSON.stringify(Object.fromEntries(places));
    await annotate(`where the token was: ${seen}`);
    expect(places.get('ORPHAN') ?? 0, seen).toBe(0);
    // The kills covered the critical moments.
    expect((places.get('told as lost') ?? 0) + (places.get('record') ?? 0), seen).toBeGreaterThan(
      KILLS / 2,
    );
  },
);
