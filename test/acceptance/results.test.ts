import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newUser, type User } from './svc.ts';
import { startTerminal } from './terminal.ts';

/** A user with documents and a job, an endpoint, a delivery to it, and the history of these writes. */
async function userWithLists(): Promise<User> {
  const user = await newUser();
  const documents = Array.from({ length: 45 }, (_, at) => ({ documentId: `d${at}`, documentName: `Document ${at}` }));
  await writeFile(join(user.home, 'documents.json'), JSON.stringify(documents));
  for (const line of [
    'documents add --local --org acme --file documents.json',
    'webhooks advanced update --local --enable',
    'webhooks endpoints create --local --url https://hooks.invalid/services/webhook/receiver --filter-type comment.add',
    'webhooks send comment.add --via-service --local',
  ])
    await user.svc(line.split(' '));
  return user;
}

/** Runs a command in a terminal until it ends, and returns the lines on the screen. */
async function screenOf(user: User, line: string, columns = 100): Promise<readonly string[]> {
  const terminal = startTerminal(line.split(' '), { ...user.env, NO_COLOR: '1' }, columns);
  expect(await terminal.ended, terminal.screen()).toBe(0);
  return terminal.screen().trimEnd().split('\r\n');
}

it('lists are tables on a terminal of 100 columns, which hide columns and count them', async () => {
  const user = await userWithLists();
  for (const [list, header] of [
    ['jobs list', /^ID +OPERATION +STATE +INPUT/],
    ['history', /^AT +.*COMMAND .*OUTCOME/],
    ['local deliveries list', /^ID +EVENT +STATE +ATTEMPTS/],
    ['webhooks endpoints list --local', /^ID +URL +EVENTS/],
  ] as const) {
    const screen = await screenOf(user, list);
    expect(screen[0], screen.join('\n')).toMatch(header);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(screen.join('\n')).not.toMatch(/\d\dT?[\d:]*…/);
  }
  const narrow = await screenOf(user, 'jobs list', 60);
  expect(narrow[0]?.split(/ +/)).toEqual(['ID', 'OPERATION', 'STATE', 'FAILED']);
  expect(narrow.at(-1)).toBe('6 columns hidden; -o json or a wider terminal shows them');
});

it('--fields accepts table headers in any case, and suggests names', async () => {
  const user = await userWithLists();
  const list = ['documents', 'list', '--local', '--org', 'acme', '--page-size', '1', '--fields'];
  expect((await user.svc([...list, 'NAME,id'])).stdout).toBe('NAME        ID\nDocument 0  d0\n');
  expect(JSON.parse((await user.svc([...list, 'name,ACCESS', '-o', 'json'])).stdout)).toEqual([
    { documentName: 'Document 0', accessType: 'public' },
  ]);
  expect(await user.svc([...list, 'nam'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("hint: did you mean 'name'?"),
  });
  const deliveries = await user.svc(['local', 'deliveries', 'list', '-o', 'json', '--fields', 'LAST,attempts']);
  expect(JSON.parse(deliveries.stdout)).toEqual([{ last: expect.any(String), attempts: expect.any(Array) }]);
});

it('a record is printed with indented fields', async () => {
  const { stdout } = await (await newUser()).svc(['workspace', 'get', '--local']);
  expect(stdout).toMatch(/^owner\n {2}email {2,}local@localhost\n/m);
  expect(stdout).toMatch(/^apiKeyList\n {2}[0-9a-f]{32}\n {4}id {2,}/m);
});
