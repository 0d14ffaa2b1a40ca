import { expect, it } from 'vitest';
import { receiver } from '../service/deliveries/receiver.ts';
import { startDialogueInProcess } from './dialogue.ts';
import { newUserInProcess, runInProcess } from './in-process.ts';

const DELIVERIES = ['local', 'deliveries'];

/** Creates failed deliveries to the endpoints `broken`, `gone`, and `refused`, and one to `fine`. */
async function withFailures() {
  const { url, received } = await receiver(({ path }, _, response) => {
    const status = { '/broken': 500, '/gone': 404 }[path] ?? 200;
    response.writeHead(status).end(status === 500 ? 'KeyError: \u001b[2J\n::error::text' : 'ok');
    return undefined;
  });
  const user = await newUserInProcess();
  const svc = async (...words: readonly string[]) => user.svc(words);
  await svc('webhooks', 'advanced', 'update', '--enable', '--local');
  for (const [uid, target] of [
    ['fine', `${url}/fine`],
    ['broken', `${url}/broken`],
    ['gone', `${url}/gone`],
    ['refused', 'http://127.0.0.1:1/'],
  ] as const)
    await svc('webhooks', 'endpoints', 'create', '--local', '--uid', uid, '--url', target);
  await svc('webhooks', 'send', 'comment.add', '--via-service', '--local');
  const list = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await svc(...DELIVERIES, 'list', ...words, '-o', 'json');
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as {
      id: string;
      endpointUid: string;
      state: string;
      nextAttempt: string | null;
      attempts: unknown[];
    }[];
  };
  const uids = async (...words: readonly string[]) =>
    (await list(...words)).map(({ endpointUid }) => endpointUid).sort();
  return { user, svc, list, uids, received };
}

it('deliveries are selected by endpoint, reason, state, and time, and summarized', async () => {
  const { svc, uids } = await withFailures();
  expect(await uids('--reason', 'http 5xx')).toEqual(['broken']);
  expect(await uids('--reason', '4xx')).toEqual(['gone']);
  expect(await uids('--reason', 'refused', '--since', '1h')).toEqual(['refused']);
  expect(await uids('--state', 'failed')).toEqual(['broken', 'gone', 'refused']);
  expect(await uids('--endpoint', 'fine')).toEqual(['fine']);
  expect(await uids('--until', '1h')).toEqual([]);
  const { stdout, stderr } = await svc(...DELIVERIES, 'list', '--state', 'failed');
  expect(stdout).toContain('"KeyError: \\u001b[2J ::error::text"');
  expect(stderr).toBe('3 of 4 endpoints fail: 1 × http 5xx, 1 × http 4xx, 1 × refused\n');
  for (const [words, code] of [
    [['--endpoint', 'nobody'], 5],
    [['--reason', 'weather'], 2],
    [['--since', 'soon'], 2],
  ] as const)
    expect(await svc(...DELIVERIES, 'list', ...words)).toMatchObject({ code });
});

it('a retry by flags counts first and never takes a success, and an ID does', async () => {
  const { svc, list } = await withFailures();
  const states = async () => (await list()).map(({ state }) => state).sort();
  const before = await list();
  expect(await svc(...DELIVERIES, 'retry')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('svc local deliveries retry --failed --yes\n'),
  });
  expect(await svc(...DELIVERIES, 'retry', '--state', 'failed')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Retry 3 failed deliveries to 3 endpoints?'),
  });
  expect(await svc(...DELIVERIES, 'retry', '--endpoint', 'gone', '--dry-run')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('would retry 1 failed delivery to gone\n'),
  });
  expect(await list()).toEqual(before);
  expect(await svc(...DELIVERIES, 'retry', '--endpoint', 'fine', '--yes')).toMatchObject({
    code: 0,
    stderr: 'no failed deliveries found\n',
  });
  expect(await states()).toEqual(['delivered', 'retrying', 'retrying', 'retrying']);
  const [fine] = await list('--endpoint', 'fine');
  const end = fine?.id.slice(-8) ?? '';
  expect(await svc(...DELIVERIES, 'retry', `…${end}`)).toMatchObject({ code: 0 });
  expect(await states()).toEqual(['pending', 'retrying', 'retrying', 'retrying']);
  expect(await svc(...DELIVERIES, 'retry', 'last')).toMatchObject({ code: 0 });
  expect(await svc(...DELIVERIES, 'retry', '--state', 'delivered')).toMatchObject({ code: 2 });
});

it.each([
  [70, /^ID +EVENT +ENDPOINT +LAST +RECORDED$/],
  [50, /^ID +EVENT +ENDPOINT +LAST$/],
  [40, /^EVENT +ENDPOINT +LAST$/],
])(
  'a terminal of %i columns shows the event, the endpoint, and the last response',
  async (columns, header) => {
    const { user } = await withFailures();
    const words = [...DELIVERIES, 'list', '--color', 'never'];
    const { stdout } = await runInProcess(words, { ...user, cwd: user.home, columns });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(header);
    expect(stdout).toMatch(/comment\.add +broken +500/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  },
);

it('commands for endpoints take a uid in place of the ID', async () => {
  const { svc, uids } = await withFailures();
  const endpoint = (...words: readonly string[]) =>
    svc('webhooks', 'endpoints', ...words, '--local');
  const secret = await endpoint('secret', 'gone', '-q');
  expect(secret.stdout).toMatch(/^whsec_\S+\n$/);
  expect(await endpoint('update', 'gone', '--disabled')).toMatchObject({ code: 0 });
  expect(await endpoint('delete', 'gone', 'fine', '--yes')).toMatchObject({ code: 0 });
  expect(await endpoint('secret', 'gone')).toMatchObject({ code: 5 });
  expect(await uids('--state', 'failed')).toEqual(['broken', null, 'refused'].sort());
});

it.each([80, 40])(
  'a retry without an ID picks a failure, with the end of its event (%i columns)',
  async (columns) => {
    const { user, svc, list } = await withFailures();
    const event = 'comment_annotation.suggestion_accept';
    await svc('webhooks', 'send', event, '--via-service', '--local');
    const before = await list();
    const screen = startDialogueInProcess([...DELIVERIES, 'retry'], user.env, columns);
    await screen.shows('suggestion_accept'.slice(columns === 40 ? 6 : 0));
    expect(screen.text()).not.toContain('fine');
    for (const line of screen.text().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    screen.type('gone');
    await screen.shows('❯');
    screen.type('\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('1 delivery scheduled');
    const retried = (await list()).filter(
      (each, at) => each.nextAttempt !== before[at]?.nextAttempt,
    );
    expect(retried).toMatchObject([{ event, endpointUid: 'gone' }]);
  },
);
