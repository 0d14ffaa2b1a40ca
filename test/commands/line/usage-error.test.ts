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

describe('a command line that makes no sense', () => {
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
    ['users add -o', '--output needs a value: --output <format>', 'see svc --help'],
    ['users add -o jsn', "--output: 'jsn' is not one of table, json, yaml, csv, ndjson", "did you mean 'json'?"],
    ['users add --user a --user b', '--user is given twice', undefined],
    ['profiles use', 'svc profiles use needs <name>', 'see svc profiles use --help'],
    ['jobs resume', 'svc jobs resume needs <id>', 'svc jobs list shows them'],
    ['org list', "unknown command 'org'", "did you mean 'svc organizations'?"],
    ['users add --conc 4', "unknown flag '--conc'", "did you mean '--concurrency'?"],
    ['agents list a b', "svc agents list takes no arguments; 'a' is one too many", 'see svc agents list --help'],
    ['help usrs', "there is no help on 'usrs'", "did you mean 'users'?"],
    ['help fromatting', "there is no help on 'fromatting'", "did you mean 'formatting'?"],
    ['help frobnicate', "there is no help on 'frobnicate'", 'svc help lists the commands and topics'],
    ['help /v2/user/add', "no operation is called '/v2/user/add'", "did you mean '/v2/users/add'?"],
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

  it('is nothing to a command that is run', async () => {
    expect(await refusalOf('local exec -- node --version')).not.toMatchObject({ failure: 'usage' });
  });
});

it('--help stands beside global flags', async () => {
  for (const line of ['--local --help', '-q users add --help', 'users add --help -o json']) {
    const context = await fakeContext();
    await runCommandLine(line.split(' '), context);
    expect(context.stdout()).toMatch(/\nUsage:\n {2}svc /);
  }
});
