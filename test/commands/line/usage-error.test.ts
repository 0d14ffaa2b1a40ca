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

const UNSET = 'if the value comes from a variable, check that it is set';

describe('an invalid command line', () => {
  it.each([
    ['users ad', "unknown command 'ad'", "did you mean 'svc users add --org <id> --user <id>'?"],
    [
      'usres add',
      "unknown command 'usres'",
      "did you mean 'svc users add --org <id> --user <id>'?",
    ],
    [
      'webhooks endponts list',
      "unknown command 'endponts'",
      "did you mean 'svc webhooks endpoints list'?",
    ],
    [
      'users get u1 --org acme',
      'the service has no operation that shows users',
      'to show one of the embedded service, run svc local show user u1 --org acme',
    ],
    [
      'list users --org acme',
      'the service has no operation that lists users',
      'to list those of the embedded service, run svc local list users --org acme',
    ],
    [
      'create user',
      "unknown command 'create'",
      "did you mean 'svc users add --org <id> --user <id>'?",
    ],
    [
      'config set org acme',
      "unknown command 'config'",
      'to change a profile, run svc profiles update <name> --org <id>; to see all settings, run svc whoami --all',
    ],
    [
      'logs',
      "unknown command 'logs'",
      'to follow the requests to svc serve, run svc local requests tail; to list the writes from this machine, run svc history',
    ],
    [
      'status',
      "unknown command 'status'",
      'to check the target and its credentials, run svc whoami --check',
    ],
    [
      'users frobnicate',
      "unknown command 'frobnicate'",
      'to list its commands, run svc users --help',
    ],
    [
      'users list',
      'the service has no operation that lists users',
      'to list those of the embedded service, run svc local list users',
    ],
    [
      'user ls',
      'the service has no operation that lists users',
      'to list those of the embedded service, run svc local list users',
    ],
    [
      'groups rm g1',
      'the service has no operation that deletes user groups',
      'to list its commands, run svc groups --help',
    ],
    [
      'users create',
      "unknown command 'create'",
      "did you mean 'svc users add --org <id> --user <id>'?",
    ],
    ['profiles delete a', "unknown command 'delete'", "did you mean 'svc profiles remove'?"],
    ['documents show', "unknown command 'show'", "did you mean 'svc documents list --org <id>'?"],
    ['webhooks list', "unknown command 'list'", "did you mean 'svc webhooks endpoints list'?"],
    [
      'webhooks get',
      "unknown command 'get'",
      "did you mean 'svc webhooks advanced get' or 'svc webhooks config get'?",
    ],
    [
      'completion list',
      "unknown command 'list'",
      'to list its commands, run svc completion --help',
    ],
    [
      'create',
      "unknown command 'create'",
      "did you mean 'svc webhooks endpoints create --url <text>' or 'svc workspace create --owner-email <text>'?",
    ],
    ['frobnicate', "unknown command 'frobnicate'", 'to list the commands, run svc help'],
    [
      'webhooks deliveries list',
      "unknown command 'deliveries'",
      "did you mean 'svc local deliveries list'?",
    ],
    [
      'users show',
      'the service has no operation that shows users',
      'to list those of the embedded service, run svc local list users',
    ],
    ['usres --help', "unknown command 'usres'", "did you mean 'svc users'?"],
    [
      'users ad --org acme -h',
      "unknown command 'ad'",
      "did you mean 'svc users add --org acme --user <id>'?",
    ],
    [
      'users list --help',
      'the service has no operation that lists users',
      'to list those of the embedded service, run svc local list users',
    ],
    ...['access-tokens generate --out p.json', 'auth-tokens reset --out p.json'].map(
      (line): [string, string, string] => [
        line,
        "unknown flag '--out'",
        line.startsWith('access')
          ? "the result is a secret, which no plan contains; to save the secret, redirect stdout: '-q > secret.txt'"
          : 'the result is a secret, which no plan contains; to save the secret, use --save',
      ],
    ),
    [
      'api /v2/users/add --out p.json',
      "unknown flag '--out'",
      "to save a plan, use the command of the operation; to save the response, redirect stdout: '> response.json'",
    ],
    ...(
      [
        ['jobs report --html --out x', "did you mean '--file'?"],
        ['jobs show --out x', "did you mean '--html --file'?"],
        ['local requests list --out x', "did you mean '--har'?"],
        ['local export --out x', 'to save the data, run svc local export state.json'],
        ['plan --output-file x', "did you mean '--out'?"],
        ['users --out x', 'put flags after a command; to list the commands, run svc users --help'],
        ...[
          'webhooks send comment.add --out x',
          'webhooks setup --out x',
          'jobs resume --out x',
        ].map((line): [string, string] => [
          line,
          "to save the output, redirect stdout: '> output.txt'",
        ]),
        ['agents list --file x', 'to list the flags, run svc agents list --help'],
      ] satisfies [string, string][]
    ).map(([line, hint]): [string, string, string] => [
      line,
      `unknown flag '${/--(?:out|file)\S*/.exec(line)?.[0]}'`,
      hint,
    ]),
    ['docs', "unknown command 'docs'", "did you mean 'svc documents'?"],
    ['docs list', "unknown command 'docs'", "did you mean 'svc documents list --org <id>'?"],
    ['doc', "unknown command 'doc'", "did you mean 'svc documents'?"],
    ['resume j1', "unknown command 'resume'", "did you mean 'svc jobs resume'?"],
    ['users add --fiel x', "unknown flag '--fiel'", "did you mean '--file'?"],
    ['users add --outptu json', "unknown flag '--outptu'", "did you mean '--output'?"],
    ['--lcoal users add', "unknown flag '--lcoal'", "did you mean '--local'?"],
    ['users add --xx', "unknown flag '--xx'", 'to list the flags, run svc users add --help'],
    ['users add -z', "unknown flag '-z'", 'to list the flags, run svc users add --help'],
    ['users add -o', '--output requires a value: --output <format>', 'see svc --help'],
    [
      'users add -o jsn',
      "--output must be one of table, json, yaml, csv, ndjson, markdown, got 'jsn'",
      "did you mean 'json'?",
    ],
    [
      'users add -o result.json',
      "--output must be one of table, json, yaml, csv, ndjson, markdown, got 'result.json'",
      'to write JSON to a file, use -o json > result.json',
    ],
    ['users add --format json', "unknown flag '--format'", "did you mean '--output'?"],
    ['users add --fiel=x', "unknown flag '--fiel'", "did you mean '--file'?"],
    [
      'login prod --auth-token=x',
      "unknown flag '--auth-token'",
      "did you mean '--auth-token-stdin' or '--auth-token-file'?",
    ],
    [
      'users --org acme add',
      "unknown flag '--org'",
      'put flags after a command; to list the commands, run svc users --help',
    ],
    ['auth login', "unknown command 'login'", "did you mean 'svc login'?"],
    [
      'import u.csv',
      "unknown command 'import'",
      'to import records, run svc users add --file u.csv; to import a state of the embedded service, run svc local import <file>',
    ],
    [
      'users add -o --local',
      '--output requires a value: --output <format>',
      'known: table, json, yaml, csv, ndjson, markdown',
    ],
    ['apply ', '<plan> is empty', UNSET],
    ['plan --out ', '--out is empty', UNSET],
    ['users add --file  --local', '--file is empty', UNSET],
    ['jobs resume ', '<id> is empty', UNSET],
    ['users add --user a --user b', '--user can be given only once', undefined],
    ['profiles use', 'svc profiles use requires <name>', 'see svc profiles use --help'],
    ['jobs watch', 'svc jobs watch requires <id>', 'to list the IDs, run svc jobs list'],
    ['local show user', 'svc local show requires <id>', 'see svc local show --help'],
    ['users add --user -- --local', "unknown flag '--local'", "put the flag before '--'"],
    [
      'org list',
      'the service has no operation that lists organizations',
      'to list those of the embedded service, run svc local list organizations',
    ],
    ['users add --conc 4', "unknown flag '--conc'", "did you mean '--concurrency'?"],
    [
      'agents list a b',
      "svc agents list takes no arguments; unexpected argument 'a'",
      'see svc agents list --help',
    ],
    ['users list acme --local', "unexpected argument 'acme'", 'did you mean --org acme?'],
    [
      'users add —user u1',
      "svc users add takes no arguments; unexpected argument '—user'",
      'replace — with --: --user',
    ],
    [
      'agents get –p prod',
      "svc agents get takes 1 argument; unexpected argument 'prod'",
      'replace – with -: -p',
    ],
    ['users add -–local', "unknown flag '-–local'", 'replace -– with --: --local'],
    ['—local users add', "unknown command '—local'", 'replace — with --: --local'],
    ['help usrs', "unknown command or topic 'usrs'", "did you mean 'svc help users'?"],
    ['help users ad', "unknown command or topic 'users ad'", "did you mean 'svc help users add'?"],
    [
      'help fromatting',
      "unknown command or topic 'fromatting'",
      "did you mean 'svc help formatting'?",
    ],
    [
      'help frobnicate',
      "unknown command or topic 'frobnicate'",
      'to list the commands and topics, run svc help',
    ],
    [
      'help /v2/user/add',
      "unknown operation '/v2/user/add'",
      "did you mean 'svc help /v2/users/add'?",
    ],
  ])('svc %s', async (line, message, hint) => {
    expect(await refusalOf(line)).toEqual({ failure: 'usage', message, hint });
  });
});

it('a bare ls lists the commands that list records, for the same service', async () => {
  const refusal = await refusalOf('-p prod ls');
  expect(refusal).toMatchObject({ failure: 'usage', message: "unknown command 'ls'" });
  expect(refusal?.hint).toBe(
    'commands that list records: svc -p prod folders list --org <id>, svc -p prod documents list --org <id>, svc -p prod agents list, svc -p prod auth-tokens list --api-key <id>, svc profiles list, svc jobs list',
  );
});

it('a word of svc local exec may be empty, because it is for another program', async () => {
  expect(await refusalOf('local exec -- sh -c  ')).not.toMatchObject({ failure: 'usage' });
});

describe('--version', () => {
  it.each([
    '--local --version',
    '-q -V',
    '--output json --version',
    'users add --version --local',
    'users --version',
  ])('is printed by svc %s', async (line) => {
    const context = await fakeContext();
    await runCommandLine(line.split(' '), context);
    expect(context.stdout()).toBe(`${version}\n`);
  });

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
