import { describe, expect, it } from 'vitest';
import { receiver } from '../service/deliveries/receiver.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import type { Setting, User } from './svc.ts';

const HOUR = 3_600_000;

async function read({ svc }: User, words: readonly string[], setting?: Setting) {
  const { code, stdout, stderr } = await svc([...words, '-o', 'json'], setting);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const TOKEN = [
  'access-tokens',
  'generate',
  '--user',
  'u1',
  '--name',
  'Ada',
  '--email',
  'ada@example.com',
];
const INSPECT = ['access-tokens', 'inspect', '-', '--local'];

/** Generates a token that grants access for 24 hours. */
async function generateToken(
  user: User,
  words: readonly string[],
  setting?: Setting,
): Promise<string> {
  const granted = ['--resource', 'type=organization,id=acme,expires=24h'];
  return (await read(user, [...TOKEN, ...granted, ...words, '--show-secrets'], setting)).token;
}

describe('svc local clock', () => {
  it('lets an access token expire, and counts durations from the time of the service', async () => {
    const user = await newUserInProcess();
    const token = await generateToken(user, ['--local']);
    expect((await user.svc(INSPECT, { stdin: token })).code).toBe(0);
    const advanced = await user.svc(['local', 'clock', 'advance', '49h']);
    expect(advanced).toMatchObject({ code: 0, stderr: '+49 h: 1 token expired\n' });
    expect(advanced.stdout).toMatch(/Z \(49 h 0 min ahead of real time\)\n$/);
    const refused = await user.svc(INSPECT, { stdin: token });
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect(refused.stderr).toMatch(
      /^svc: the embedded service rejects the token: it expired at \d{4}-.*Z\n/,
    );
    const fresh = await generateToken(user, ['--local']);
    const { resources, verified } = await read(user, INSPECT, { stdin: fresh });
    expect(verified).toBe(true);
    expect(resources).toMatchObject([{ id: 'acme', expired: false }]);
    expect(Date.parse(resources[0].expiresAt) - Date.now()).toBeGreaterThan(72 * HOUR);
    const [head = '', payload = ''] = token.split('.');
    const forged = await user.svc(INSPECT, {
      stdin: `${head}.${payload}.${Buffer.alloc(32).toString('base64url')}`,
    });
    expect(forged).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('it was not issued by this service'),
    });
    expect(await read(user, ['local', 'clock', 'reset'])).toMatchObject({
      offset: 0,
      frozen: false,
    });
    expect((await user.svc(INSPECT, { stdin: token })).code).toBe(0);
  });

  it('exits with 2 for a negative duration and an invalid time', async () => {
    const { svc } = await newUserInProcess();
    for (const words of [
      ['advance', '--', '-49h'],
      ['advance', '-49h'],
      ['advance', 'later'],
      ['set', 'noon'],
    ]) {
      const { code, stdout } = await svc(['local', 'clock', ...words]);
      expect([code, stdout], words.join(' ')).toEqual([2, '']);
    }
  });

  it('changes nothing in a dry run', async () => {
    const user = await newUserInProcess();
    const words = ['local', 'clock', 'advance', '49h', '--dry-run'];
    expect(await user.svc(words)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '--dry-run: nothing was changed\n',
    });
    expect(await read(user, ['local', 'clock', 'show'])).toMatchObject({ offset: 0 });
  });

  it(
    'runs the delivery schedule beside svc serve, which keeps the time after a restart',
    SLOW,
    async () => {
      const { url, received } = await receiver(() => 503);
      const user = await newUserInProcess();
      const service = await startServing(user);
      await service.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
      await service.call('/v2/workspace/advancedwebhook/endpoints/create', { url });
      const activity = {
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: 'u1' },
      };
      const comment = { organizationId: 'acme', documentId: 'd1', activities: [activity] };
      expect(await service.call('/v2/activities/add', comment)).toMatchObject({ ok: true });
      await user.svc(['local', 'clock', 'advance', '4d']);
      expect(received).toHaveLength(8);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await service.admin('clock', { freeze: true });
      await service.call('/v2/activities/add', comment);
      const { status, body } = await service.admin('clock', { advance: '49h' });
      expect([status, body.endpointsDisabled, body.frozen]).toEqual([200, 1, true]);
      expect(await read(user, ['local', 'clock', 'show'])).toMatchObject({
        now: body.now,
        frozen: true,
      });
      expect(await service.end('SIGTERM')).toBe(0);
      const restarted = await startServing(user);
      expect((await restarted.admin('clock')).body).toMatchObject({ now: body.now, frozen: true });
      // Over HTTP, the client learns the time from the service.
      const setting = { env: restarted.env };
      const token = await generateToken(user, [], setting);
      const { lifetime, resources } = await read(user, INSPECT, { stdin: token });
      expect(lifetime.issuedAt).toBe(`${body.now.slice(0, 19)}.000Z`);
      expect(Date.parse(resources[0].expiresAt) - Date.parse(body.now)).toBeGreaterThan(23 * HOUR);
      await restarted.admin('clock', { set: '2020-01-01T00:00:00Z' });
      const past = ['--resource', 'type=organization,id=acme,expires=2020-01-02T00:00:00Z'];
      expect((await user.svc([...TOKEN, ...past], setting)).code).toBe(0);
      const gone = ['--resource', 'type=organization,id=acme,expires=2019-12-31T00:00:00Z'];
      expect((await user.svc([...TOKEN, ...gone], setting)).code).toBe(2);
    },
  );
});
