import { describe, expect, it } from 'vitest';
import { withLocalList } from '../../../src/commands/line/local-list.ts';
import { newUserInProcess } from '../../acceptance/in-process.ts';

describe('a list of records that only the embedded service has', () => {
  it.each([
    ['users list --local', 'local list users --local'],
    ['--local groups ls --match a', '--local local list groups --match a'],
    ['presence list --org a --store=x.sqlite', 'local list presence --org a --store=x.sqlite'],
    ['user ls --local', 'local list users --local'],
    [
      '-o json --color=never org list --local',
      '-o json --color=never local list organizations --local',
    ],
    ['users list --org acme', 'users list --org acme'],
    ['documents list --local', 'documents list --local'],
    ['users add --local', 'users add --local'],
    ['--local', '--local'],
  ])('%s becomes %s', (line, expected) => {
    expect(withLocalList(line.split(' ')).join(' ')).toBe(expected);
  });

  it('is printed by the command of its kind', async () => {
    const { svc } = await newUserInProcess();
    await svc(['users', 'add', '--local', '--org', 'acme', '--user', 'ada']);
    const listed = await svc(['users', 'list', '--local', '--org', 'acme', '-o', 'json']);
    expect(listed.code, listed.stderr).toBe(0);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ userId: 'ada' }]);
  });
});

describe('a period of deliveries', () => {
  it.each(['list', 'retry --yes', 'retry --dry-run'])(
    'that ends first is refused: %s',
    async (verb) => {
      const { svc } = await newUserInProcess();
      const period = ['--since', '30m', '--until', '1h'];
      expect(await svc(['local', 'deliveries', ...verb.split(' '), ...period])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('--since 30m is later than --until 1h'),
      });
    },
  );

  it('that svc cannot read leads to the help of its command', async () => {
    const { svc } = await newUserInProcess();
    expect((await svc(['local', 'deliveries', 'retry', '--since', 'x'])).stderr).toContain(
      'see svc local deliveries retry --help',
    );
  });
});

describe('svc auth-tokens reset --local', () => {
  it('needs no API key if the embedded service has only one', async () => {
    const { svc } = await newUserInProcess();
    const dry = await svc(['auth-tokens', 'reset', '--local', '--dry-run']);
    expect([dry.code, dry.stdout], dry.stderr).toEqual([
      0,
      expect.stringContaining('/v2/workspace/authtoken/reset'),
    ]);
    const reset = await svc(['auth-tokens', 'reset', '--local', '--yes', '-q']);
    expect([reset.code, reset.stdout], reset.stderr).toEqual([0, expect.stringMatching(/^\S+\n$/)]);
  });
});
