import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/commands/line/command-line.ts';
import { version } from '../../../src/kernel/version.ts';
import { fakeContext } from '../fake-context.ts';

async function refusalOf(line: string) {
  const context = await fakeContext();
  return runCommandLine(line.split(' '), context).then(
    () => undefined,
    ({ failure, message, hint }) => ({ failure, message, hint }),
  );
}

describe('an invalid command line', () => {
  it.each([
    ['users ad', "unknown command 'ad'", "did you mean 'svc users add'?"],
    ['usres add', "unknown command 'usres'", "did you mean 'svc users'?"],
    ['webhooks endponts list', "unknown command 'endponts'", "did you mean 'svc webhooks endpoints'?"],
    ['users frobnicate', "unknown command 'frobnicate'", 'svc users --help lists its commands'],
    ['frobnicate', "unknown command 'frobnicate'", 'svc help lists the commands'],
    ['webhooks deliveries list', "unknown command 'deliveries'", "did you mean 'svc local deliveries'?"],
    ['users show', "unknown command 'show'", 'svc users --help lists its commands'],
    ['resume j1', "unknown command 'resume'", "did you mean 'svc jobs resume'?"],
    ['users add --fiel x', "unknown flag '--fiel'", "did you mean '--file'?"],
    ['users add --outptu json', "unknown flag '--outptu'", "did you mean '--output'?"],
    ['--lcoal users add', "unknown flag '--lcoal'", "did you mean '--local'?"],
    ['users add --xx', "unknown flag '--xx'", 'svc users add --help lists the flags'],
    ['users add -z', "unknown flag '-z'", 'svc users add --help lists the flags'],
    ['users add -o', '--output requires a value: --output <format>', 'see svc --help'],
    ['users add -o jsn', "--output must be one of table, json, yaml, csv, ndjson, got 'jsn'", "did you mean 'json'?"],
    ['users add --user a --user b', '--user can be given only once', undefined],
    ['profiles use', 'svc profiles use requires <name>', 'see svc profiles use --help'],
    ['jobs resume', 'svc jobs resume requires <id>', 'svc jobs list lists the IDs'],
    ['org list', "unknown command 'org'", "did you mean 'svc organizations'?"],
    ['users add --conc 4', "unknown flag '--conc'", "did you mean '--concurrency'?"],
    ['agents list a b', "svc agents list takes no arguments; unexpected argument 'a'", 'see svc agents list --help'],
    ['help usrs', "unknown command or topic 'usrs'", "did you mean 'users'?"],
    ['help fromatting', "unknown command or topic 'fromatting'", "did you mean 'formatting'?"],
    ['help frobnicate', "unknown command or topic 'frobnicate'", "run 'svc help' for a list of commands and topics"],
    ['help /v2/user/add', "unknown operation '/v2/user/add'", "did you mean '/v2/users/add'?"],
  ])('svc %s', async (line, message, hint) => {
    expect(await refusalOf(line)).toEqual({ failure: 'usage', message, hint });
  });
});

describe('--version', () => {
  it.each(['--local --version', '-q -V', '--output json --version', 'users add --version --local', 'users --version'])(
    'is printed by svc %s',
    async (line) => {
      const context = await fakeContext();
      await runCommandLine(line.split(' '), context);
      expect(context.stdout()).toBe(`${version}\n`);
    },
  );

  it('has no effect on a command that runs', async () => {
    expect(await refusalOf('local exec -- node --version')).not.toMatchObject({ failure: 'usage' });
  });
});

it('--help can be combined with global flags', async () => {
  for (const line of ['--local --help', '-q users add --help', 'users add --help -o json']) {
    const context = await fakeContext();
    await runCommandLine(line.split(' '), context);
    expect(context.stdout()).toMatch(/\nUsage:\n {2}svc /);
  }
});
