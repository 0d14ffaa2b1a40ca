import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GLOBAL_FLAG_GROUPS, GLOBAL_FLAGS } from '../../../src/commands/global-flags.ts';
import { loadTools } from '../../../src/commands/tree/definitions.ts';
import { newUserInProcess } from '../../acceptance/in-process.ts';
import { SLOW } from '../../slow.ts';

/** A value for each global flag that takes one. */
const VALUES: Readonly<Record<string, string>> = {
  profile: 'p',
  store: 's.sqlite',
  fields: 'a',
  jq: '.',
  time: 'raw',
  timeout: '1s',
  'max-wait': '1s',
  'retry-for': '1s',
  'base-url': 'https://example.com',
  'ca-file': 'ca.pem',
  'client-cert': 'client.pem',
  'client-key': 'client.key',
};

const GROUPED = new Set(Object.values(GLOBAL_FLAG_GROUPS).flat());

function wordsOf(name: string): readonly string[] {
  return VALUES[name] === undefined ? [`--${name}`] : [`--${name}`, VALUES[name]];
}

describe('a global flag that a command cannot honor', () => {
  it('is in a group of known flags', () => {
    const known = GLOBAL_FLAGS.map(({ flags }) => /--([\w-]+)/.exec(flags)?.[1]);
    expect([...GROUPED].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('is refused by every hand-written command', SLOW, async () => {
    const { svc } = await newUserInProcess();
    for (const {
      command,
      globalFlags,
      arguments: operands = [],
      options = [],
    } of await loadTools()) {
      const own = options.flatMap(({ flags }) => /--([\w-]+)/.exec(flags)?.[1] ?? []);
      const honored = new Set([
        ...own,
        ...globalFlags.flatMap((group) => GLOBAL_FLAG_GROUPS[group]),
      ]);
      const given = operands.filter(({ required }) => required).map(() => 'x');
      for (const name of [...GROUPED].filter((each) => !honored.has(each))) {
        const { code, stdout, stderr } = await svc([...command, ...given, ...wordsOf(name)]);
        const line = `${command.join(' ')} --${name}`;
        expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' });
        expect(stderr).toContain(`svc ${command.join(' ')} does not support --${name}\n`);
      }
    }
  });

  it.each([
    ['users add --envelope', 'svc users add does not support --envelope'],
    ['local export -p staging', 'svc local export does not support --profile'],
    ['access-tokens inspect -p x y', 'svc access-tokens inspect does not support --profile'],
    ['openapi --ca-file x', 'svc openapi does not support --ca-file'],
    ['openapi --timeout 3s', 'svc openapi does not support --timeout'],
    ['agents list --local -p staging', '--local and --profile cannot be combined'],
    [
      'agents list --base-url https://example.com --local',
      '--local and --base-url cannot be combined',
    ],
    ['agents list --store s.sqlite', '--store requires --local'],
  ])('is refused with a reason: %s', async (line, reason) => {
    const { svc } = await newUserInProcess();
    const { code, stderr } = await svc(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`svc: ${reason}\nhint: `);
  });
});

describe('settings that do not apply to the embedded service', () => {
  const BROKEN = {
    SVC_PROFILE: 'unknown',
    SVC_BASE_URL: 'not a url',
    SVC_API_KEY: 'k',
    SVC_OUTPUT: 'csv',
  };

  it('never make svc local fail', SLOW, async () => {
    const { svc, home } = await newUserInProcess();
    expect(await svc(['local', 'export'], { env: BROKEN })).toMatchObject({ code: 0, stderr: '' });
    await writeFile(join(home, '.svc.json'), '{"profile": "unknown", "output": "yaml"}');
    const exported = await svc(['local', 'export']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).toContain('organizations: []');
    await writeFile(join(home, '.svc.json'), '{"profile"');
    expect(
      await svc(['local', 'deliveries', 'list'], { env: { SVC_OUTPUT: 'unknown' } }),
    ).toMatchObject({ code: 0 });
  });

  it('are ignored with --local, including the organization of a profile', SLOW, async () => {
    const { svc, home } = await newUserInProcess();
    await mkdir(join(home, '.config', 'svc'), { recursive: true });
    const profiles = {
      current: 'prod',
      profiles: { prod: { baseUrl: 'https://api.example.com', org: 'acme', output: 'json' } },
    };
    await writeFile(join(home, '.config', 'svc', 'profiles.json'), JSON.stringify(profiles));
    for (const org of ['acme', 'beta'])
      await svc(['organizations', 'add', '--local', '--org', org]);
    const list = ['documents', 'list', '--local'];
    expect((await svc(list)).stderr).toContain('--org is required');
    expect(await svc(list, { env: { ...BROKEN, SVC_ORG: 'beta', SVC_OUTPUT: '' } })).toMatchObject({
      code: 0,
    });
    await writeFile(join(home, '.svc.json'), '{"org": "acme"}');
    expect(await svc(list)).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});
