import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describedGroups } from '../../docs/generate/command-tree.ts';
import { isList, type Shape } from '../../docs/generate/result-shapes.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess, runInOrder } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import type { User } from './svc.ts';
import { startTerminal } from './terminal.ts';

/**
 * A user with documents and a job, an endpoint, a delivery to it, and the history of these writes.
 */
async function userWithLists(): Promise<User> {
  const user = await newUserInProcess();
  const documents = Array.from({ length: 45 }, (_, at) => ({
    documentId: `d${at}`,
    documentName: `Document ${at}`,
  }));
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

/** Runs a command in a terminal of 30 lines until it ends, and returns the lines on the screen. */
async function screenOf(
  user: User,
  line: string,
  columns = 100,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const terminal = startTerminal(line.split(' '), { ...user.env, NO_COLOR: '1', ...env }, columns);
  expect(await terminal.ended, terminal.screen()).toBe(0);
  return terminal.screen().trimEnd().split('\r\n');
}

/**
 * Runs a command in this process, which writes to a terminal of the given width.
 * @returns the lines on the screen
 */
async function screenInProcess(
  user: User,
  line: string,
  columns = 100,
  env: Readonly<Record<string, string>> = {},
) {
  const setting = {
    env: { ...user.env, TERM: 'xterm-256color', NO_COLOR: '1', ...env },
    cwd: user.home,
    columns,
  };
  const { code, written } = await runInOrder(line.split(' '), setting);
  const screen = String(Buffer.concat(written.map(({ bytes }) => bytes)));
  expect(code, screen).toBe(0);
  return screen.trimEnd().split('\n');
}

it(
  'lists are tables on a terminal of 100 columns, which hide columns and count them',
  SLOW,
  async () => {
    const user = await userWithLists();
    for (const [list, header, read = screenInProcess] of [
      ['jobs list', /^ID +OPERATION +STATE +INPUT/, screenOf],
      ['history', /^AT +.*COMMAND .*OUTCOME/],
      ['local deliveries list', /^ID +EVENT +ENDPOINT +STATE +WHY/],
      ['webhooks endpoints list --local', /^ID +URL +EVENTS/],
    ] as const) {
      const screen = await read(user, list);
      expect(screen[0], screen.join('\n')).toMatch(header);
      expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(100);
      expect(screen.join('\n')).not.toMatch(/\d{4}-\d\d-\d\d[T\d:]*…/);
    }
    const narrow = await screenInProcess(user, 'jobs list', 60);
    expect(narrow[0]?.split(/ +/)).toEqual(['ID', 'OPERATION', 'STATE', 'FAILED']);
    expect(narrow.at(-1)).toBe('7 columns hidden; -o json or a wider terminal shows them');
  },
);

it('results have the shapes in docs/commands', async () => {
  const user = await userWithLists();
  await user.svc(['folders', 'add', '--local', '--org', 'acme', '--folder', 'f1', '--name', 'One']);
  const described = (await describedGroups()).flatMap(({ commands }) => commands);
  for (const [words, flags] of [
    ['jobs list', ''],
    ['history', ''],
    ['version', ''],
    ['local deliveries list', ''],
    ['webhooks events', ''],
    ['workspace get', '--local'],
    ['folders list', '--local --org acme'],
    ['documents add', '--local --org acme --document d99 --name Last'],
  ] as const) {
    const { stdout } = await user.svc([
      ...words.split(' '),
      ...flags.split(' ').filter(Boolean),
      '-o',
      'json',
    ]);
    const shape = described.find((command) => command.words.join(' ') === words)?.result;
    expect(differences(shape ?? 'nothing', JSON.parse(stdout)), `${words}: ${stdout}`).toEqual([]);
  }
});

/** Paths at which a value does not have its shape. */
function differences(shape: Shape, value: unknown, path = ''): readonly string[] {
  if (typeof shape === 'string') {
    const types = shape.split(' | ');
    return types.some(
      (type) => type === 'any' || type === kindOf(value) || type === JSON.stringify(value),
    )
      ? []
      : [path];
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return [path];
    return value.flatMap((item) => differences(shape[0], item, `${path}[]`));
  }
  if (kindOf(value) !== 'object') return [path];
  const fields = new Map(Object.entries(value as object));
  const known = new Map(
    Object.entries(shape).map(([key, inner]) => [key.replace('?', ''), inner] as const),
  );
  const pattern = shape['<id>'] ?? shape['<kind>'];
  const missing = pattern
    ? []
    : Object.keys(shape).filter((key) => !key.endsWith('?') && !fields.has(key));
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...[...fields].flatMap(([key, inner]) => {
      const of = known.get(key) ?? pattern;
      return of ? differences(of, inner, `${path}.${key}`) : [`${path}.${key} is not described`];
    }),
  ];
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

it('hints are wrapped between words on a narrow terminal, and long commands continue with a backslash', async () => {
  const { env, home, svc } = await newUserInProcess();
  const store = join(home, 'another-store.db');
  await svc(['organizations', 'add', '--local', '--store', store, '--org', 'acme']);
  const terminal = startTerminal(
    ['documents', 'list', '--local', '--store', store, '--org', 'acme'],
    env,
    40,
  );
  expect(await terminal.ended).toBe(0);
  const lines = terminal.screen().trimEnd().split('\r\n');
  expect(lines[0]).toBe('no results; to add some, run');
  const command = lines
    .slice(1)
    .map((line, at) => line.replace(at < lines.length - 2 ? / \\$/ : /$/, '').trim());
  expect(command.join(' ')).toBe(`svc --local --store ${store} documents add --org acme …`);
  for (const line of lines) if (!line.includes(store)) expect(line.length).toBeLessThanOrEqual(40);
});

it(
  'messages follow the result on a terminal, and more results come last, with their number',
  SLOW,
  async () => {
    const user = await userWithLists();
    const list = 'documents list --local --org acme --page-size 10';
    const table = await screenOf(user, list);
    expect(table[0]).toMatch(/^ID +NAME/);
    expect(table).toHaveLength(12);
    expect(table.at(-1)).toMatch(
      /^more results: 10 shown; --all for the rest, or --page-token \S+ for the next page$/,
    );
    // Each line of --verbose follows a page, but the second page does not end the document.
    const yaml = (await screenOf(user, `${list} --all -v -o yaml --fields id`)).join('\n');
    const [, document = '', after = ''] = /^((?:- id: \S+\n)+)(.*)$/ms.exec(yaml) ?? [];
    expect(document.trimEnd().split('\n')).toHaveLength(45);
    expect(after.match(/^POST .* 200 in/gm)).toHaveLength(4);
    const some = await screenInProcess(
      user,
      'documents list --local --org acme --document d1 --document none -o json --fields id',
    );
    expect(some.slice(-2)).toEqual([
      ']',
      '{"note":{"level":"warning","message":"not found: none"}}',
    ]);
  },
);

it(
  'a table longer than the terminal goes through the pager, which never loses output',
  SLOW,
  async () => {
    const user = await userWithLists();
    const list = 'documents list --local --org acme';
    const paged = await screenOf(user, list, 100, { PAGER: 'false', SVC_PAGER: 'cat -n' });
    expect([paged[0], paged.at(-1)]).toEqual([
      expect.stringMatching(/^ +1\s+ID +NAME/),
      expect.stringMatching(/^ +46\s+d44 +Document 44/),
    ]);
    // Commands without a pager run in this process.
    for (const [words, env, read = screenOf] of [
      [list, { SVC_PAGER: 'no-such-pager' }],
      [list, { SVC_PAGER: `${process.execPath}/below-a-file` }],
      [list, { SVC_PAGER: 'no-such-pager $HOME' }],
      [list, { PAGER: 'false' }],
      [list, { SVC_PAGER: '', PAGER: 'cat -n' }, screenInProcess],
      [`${list} --no-pager`, { SVC_PAGER: 'cat -n' }, screenInProcess],
      [list, { SVC_PAGER: 'cat -n', CI: '1' }, screenInProcess],
    ] as const) {
      const screen = await read(user, words, 100, env);
      expect(screen.slice(-46)[0], `${words} ${JSON.stringify(env)}`).toMatch(/^ID +NAME/);
      expect(screen.at(-1)).toMatch(/^d44 +Document 44/);
    }
    expect(await screenOf(user, list, 100, { SVC_PAGER: 'head -2' })).toHaveLength(2);
    for (const short of [`${list} --page-size 20`, `${list} -o json`])
      expect(
        (await screenInProcess(user, short, 100, { SVC_PAGER: 'cat -n' })).join('\n'),
      ).not.toMatch(/^ +1\t/);
  },
);

/** Starts a service with a list that ends with an error after the given number of pages. */
async function startEndlessList(user: User, lastPage = Number.POSITIVE_INFINITY) {
  let pages = 0;
  const service = await startMockService(() => {
    pages += 1;
    if (pages > lastPage) return failure(400, 'INVALID_ARGUMENT', 'no such page');
    const data = Array.from({ length: 500 }, (_, at) => ({
      id: `d${pages}-${at}`,
      documentName: 'Plan',
    }));
    return success(data, { pageToken: `page-${pages}` });
  });
  return {
    ...service,
    env: { ...user.env, ...service.env, NO_COLOR: '1' },
    countPages: () => pages,
  };
}

it('an endless list appears in the pager, and is read no further once the user leaves it', async () => {
  const user = await newUserInProcess();
  const list = await startEndlessList(user);
  const pager = { SVC_PAGER: 'sed -n -e 2500,2502p -e 2502q' };
  const screen = await screenOf(
    { ...user, env: list.env },
    'documents list --org acme --all',
    100,
    pager,
  );
  list.close();
  expect(screen.map((line) => line.split(/ +/)[0])).toEqual(['d5-498', 'd5-499', 'd6-0']);
  expect(list.countPages()).toBeLessThan(100);
});

it('an error after some pages of a list follows them in the pager', async () => {
  const list = await startEndlessList(await newUserInProcess(), 3);
  const words = ['documents', 'list', '--org', 'acme', '--all'];
  const terminal = startTerminal(words, { ...list.env, SVC_PAGER: 'tail -1' });
  expect(await terminal.ended).toBe(3);
  list.close();
  expect(terminal.screen()).toMatch(/^d3-499 +Plan\s+svc: .*no such page/);
});

it('a write without data prints its status and message as JSON', async () => {
  const user = await newUserInProcess();
  const resource = 'type=document,id=d1,org=acme,role=viewer';
  await user.svc([
    'documents',
    'add',
    '--local',
    '--org',
    'acme',
    '--document',
    'd1',
    '--name',
    'One',
  ]);
  const grant = ['permissions', 'add', '--local', '--user', 'u1', '--resource', resource];
  const { stdout } = await user.svc([...grant, '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({ status: 'success', message: expect.stringMatching(/\w/) });
  expect((await user.svc(grant)).stdout).toBe('');
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
  const deliveries = await user.svc([
    'local',
    'deliveries',
    'list',
    '-o',
    'json',
    '--fields',
    'LAST,attempts',
  ]);
  expect(JSON.parse(deliveries.stdout)).toEqual([
    { last: expect.any(String), attempts: expect.any(Array) },
  ]);
});

it('a record is printed with indented fields', async () => {
  const { stdout } = await (await newUserInProcess()).svc(['workspace', 'get', '--local']);
  expect(stdout).toMatch(/^owner\n {2}email {2,}local@localhost\n/m);
  expect(stdout).toMatch(/^apiKeyList\n {2}[0-9a-f]{32}\n {4}id {2,}/m);
});
