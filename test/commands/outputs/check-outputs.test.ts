import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../src/commands/definition.ts';
import { GLOBAL_FLAGS } from '../../../src/commands/global-flags.ts';
import { honoredFlagsOf } from '../../../src/commands/line/honored-flags.ts';
import { type FileUse, longName } from '../../../src/commands/options.ts';
import {
  argumentsOf,
  flagsOf,
  type LoadedLeaf,
  loadLeaf,
} from '../../../src/commands/tree/leaf.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';
import { newUserInProcess } from '../../acceptance/in-process.ts';

const isRead = (use: FileUse | undefined) => use === 'input' || use === 'data';

/** A way to name a file on the command line, without the value. */
interface FileWords {
  readonly words: (path: string) => readonly string[];
  readonly use: FileUse;
}

interface FileCommand {
  readonly command: readonly string[];
  readonly outputs: readonly FileWords[];
  readonly inputs: readonly FileWords[];
}

async function* leavesOf(
  node: Node,
): AsyncGenerator<{ path: readonly string[]; leaf: LoadedLeaf }> {
  if (node.leaf) yield { path: node.path, leaf: await loadLeaf(node.leaf) };
  for (const child of node.children.values()) yield* leavesOf(child);
}

function fileCommandOf(path: readonly string[], leaf: LoadedLeaf): FileCommand {
  const flags = flagsOf(leaf).flatMap((flag) => {
    const { file: use } = flag;
    const word = `--${longName(flag)}`;
    const prefix = use === 'data' ? '@' : '';
    return use ? [{ use, words: (file: string) => [word, prefix + file] }] : [];
  });
  const operands = argumentsOf(leaf);
  const words = operands.flatMap(({ file: use }) =>
    use ? [{ use, words: (file: string) => [file] }] : [],
  );
  const isHonored = honoredFlagsOf(leaf);
  const connection = GLOBAL_FLAGS.map(longName)
    .filter((name) => ['ca-file', 'client-cert', 'client-key'].includes(name) && isHonored(name))
    .map((name) => ({ use: 'input' as const, words: (file: string) => [`--${name}`, file] }));
  const files = [...flags, ...words];
  // Values of other arguments are not read before the check.
  const others = operands.filter(({ file, required }) => file === undefined && required);
  return {
    command: [...path, ...others.map(() => 'x')],
    outputs: files.filter(({ use }) => !isRead(use)),
    inputs: [...files.filter(({ use }) => isRead(use)), ...connection],
  };
}

const COMMANDS: FileCommand[] = [];
for await (const { path, leaf } of leavesOf(commandTree())) {
  const found = fileCommandOf(path, leaf);
  if (found.outputs.length > 0) COMMANDS.push(found);
}

const CONTENT = 'userId\nann\n';
const NAMES = [
  'in.csv',
  './/folder/../in.csv',
  'link',
  'chain',
  'hard',
  'folder-link/in.csv',
] as const;

/** Creates a file with other names in a folder. */
async function createNames(folder: string): Promise<string> {
  const path = join(folder, 'in.csv');
  await mkdir(join(folder, 'folder'));
  await writeFile(path, CONTENT);
  await symlink('in.csv', join(folder, 'link'));
  await symlink('link', join(folder, 'chain'));
  await link(path, join(folder, 'hard'));
  await symlink('.', join(folder, 'folder-link'));
  return path;
}

/** Returns all pairs of output and input, for one command with all names of the file. */
function* casesOf({ command, inputs, outputs }: FileCommand) {
  let at = 0;
  for (const output of outputs)
    for (const input of inputs) {
      at += 1;
      const names =
        command.join(' ') === 'users add' ? NAMES : [NAMES[at % NAMES.length] ?? 'link'];
      for (const name of names) yield { input, output, name };
    }
}

/** Formats the outputs and inputs of a command as a row of the table. */
function describeFiles({ command, outputs, inputs }: FileCommand): string {
  const list = (files: readonly FileWords[]) =>
    files.map(({ words, use }) => `${words('<path>').join(' ')} (${use})`).join(', ') || '-';
  return `svc ${command.join(' ')}\n  writes ${list(outputs)}\n  reads ${list(inputs)}\n`;
}

it('every argument for a file has a use, and every flag that is not an input', async () => {
  const unused = new Set<string>();
  for await (const { path, leaf } of leavesOf(commandTree())) {
    const found = [
      ...flagsOf(leaf).flatMap(({ flags, file }) =>
        file === undefined && /<dir>/.test(flags) ? [flags] : [],
      ),
      ...argumentsOf(leaf).flatMap(({ name, file }) =>
        file === undefined && /file|path/.test(name) ? [name] : [],
      ),
    ];
    if (fileCommandOf(path, leaf).outputs.length > 0) expect([path, found]).toEqual([path, []]);
    for (const each of found) unused.add(each);
  }
  expect([...unused].toSorted()).toEqual([
    // Recorded deliveries are new files.
    '--record <dir>',
    // svc api
    'path',
  ]);
});

describe('an output that is an input of its command', () => {
  it('can occur in the commands of a table, which a new output changes', async () => {
    await expect(COMMANDS.map(describeFiles).join('\n')).toMatchFileSnapshot('outputs.snap');
  });

  const both = COMMANDS.filter(({ inputs }) => inputs.length > 0);

  it.each(both.map((command) => [command.command.join(' '), command] as const))(
    'is refused by any of its names, and keeps its bytes: svc %s',
    async (_, command) => {
      const { home, svc } = await newUserInProcess();
      const path = await createNames(home);
      for (const { input, output, name } of casesOf(command)) {
        const words = [...command.command, ...input.words('in.csv'), ...output.words(name)];
        const { code, stdout, stderr } = await svc(words);
        expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
        expect(stderr).toMatch(/^svc: .* are the same file: .*\nhint: nothing was sent; /);
        expect(await readFile(path, 'utf8')).toBe(CONTENT);
      }
    },
  );
});

it('- is rejected as an output file, except if it stands for stdout', async () => {
  const { home, svc } = await newUserInProcess();
  for (const { command, outputs } of COMMANDS)
    for (const { words, use } of outputs) {
      if (use === 'report' || use === 'export') continue;
      const { code, stderr } = await svc([...command, ...words('-')]);
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringContaining(" must be a file, got '-'\n"),
      ]);
    }
  expect(await readdir(home)).not.toContain('-');
});

it('a folder is rejected as an output file, also if it does not exist', async () => {
  const { home, svc } = await newUserInProcess();
  for (const { command, outputs } of COMMANDS)
    for (const { words, use } of outputs) {
      if (use === 'folder' || use === 'edited') continue;
      const { code, stderr } = await svc([...command, ...words('new/')]);
      expect([command, code, stderr]).toEqual([
        command,
        12,
        expect.stringContaining(': new/ is a folder\nhint: nothing was sent; '),
      ]);
    }
  expect(await readdir(home)).not.toContain('new');
});

describe('an output', () => {
  const add = ['users', 'add', '--local', '--org', 'acme', '--file', 'in.csv'];

  async function newUser() {
    const user = await newUserInProcess();
    await createNames(user.home);
    return user;
  }

  it.each([
    ['another output', [...add, '--results', 'x', '--rejects', './x']],
    ['the reasons of the rejects', [...add, '--results', 'x.reasons.ndjson', '--rejects', 'x']],
    ['the store', [...add, '--results', '.local/share/svc/service.sqlite']],
    ['the profiles', [...add, '--results', '.config/svc/profiles.json']],
    ['a folder file', [...add, '--results', '.svc.json']],
    ['the store to export', ['local', 'export', '--store', 'STORE', 's.sqlite']],
    [
      'the requests',
      ['local', 'requests', 'list', '--har', '.local/share/svc/service.sqlite.requests'],
    ],
    ['the log of the store', ['local', 'export', '--store', 'STORE', 's.sqlite-wal']],
    ['the journal of the store', ['local', 'export', '--store', 'STORE', 's.sqlite-journal']],
    ['the lock of the store', ['local', 'export', '--store', 'STORE', 's.sqlite.serve']],
    ['the journal of its lock', ['local', 'export', '--store', 'STORE', 's.sqlite.serve-journal']],
    ['the owner of its lock', ['local', 'export', '--store', 'STORE', 's.sqlite.serve.owner']],
  ])('is not also %s', async (_, words) => {
    const { svc, home } = await newUser();
    await writeFile(join(home, '.svc.json'), '{}');
    const store = join(home, 's.sqlite');
    const { code, stderr } = await svc(words.map((word) => (word === 'STORE' ? store : word)));
    expect([code, stderr]).toEqual([2, expect.stringContaining('are the same file')]);
  });

  it('is not also the contract that SVC_CONTRACT records', async () => {
    const { svc } = await newUser();
    const env = { SVC_CONTRACT: 'in.csv' };
    const { code, stderr } = await svc(add, { env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('SVC_CONTRACT and --file are the same file: in.csv'),
    ]);
  });

  it.each([
    ['GITHUB_STEP_SUMMARY and --file', add],
    ['GITHUB_STEP_SUMMARY and the file', ['apply', 'in.csv']],
    ['GITHUB_OUTPUT and --data', ['auth-tokens', 'reset', '--data', '@in.csv', '--github']],
  ])('is not also a file of a workflow step: %s', async (names, words) => {
    const { svc } = await newUser();
    const env = { GITHUB_STEP_SUMMARY: 'link', GITHUB_OUTPUT: 'link' };
    expect(await svc(words, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${names} are the same file`),
    });
  });

  it('does not replace a file that svc keeps for itself, even with --force', async () => {
    const { svc, home } = await newUser();
    await svc(['--local', 'orgs', 'add', '--org', 'acme']);
    expect(await svc(add)).toMatchObject({ code: 0 });
    const state = join(home, '.local', 'state', 'svc');
    const [job = ''] = await readdir(join(state, 'jobs'));
    const journal = join(state, 'jobs', job, 'journal.sqlite');
    const lock = join(state, 'jobs', job, 'lock');
    expect((await stat(lock)).size).toBe(0);
    await symlink(journal, join(home, 'elsewhere'));
    for (const path of [journal, lock, 'elsewhere', join(state, 'history', 'history.ndjson')])
      for (const words of [
        ['--local', 'plan', '--out'],
        ['schema', 'settings', '--out'],
        ['local', 'export'],
        ['local', 'requests', 'list', '--har'],
      ]) {
        const { code, stderr } = await svc([...words, path, '--force']);
        expect([words, code, stderr]).toEqual([
          words,
          2,
          expect.stringContaining('is a file that svc keeps for itself'),
        ]);
      }
  });

  it('of a plan is not also one of its settings files', async () => {
    const { svc, home } = await newUser();
    await writeFile(join(home, 'token'), 't');
    await writeFile(join(home, 'svc.yaml'), 'organizations:\n  - organizationId: acme\n');
    await mkdir(join(home, 'settings'));
    await writeFile(join(home, 'settings', 'a.yaml'), 'stack: s\nusers:\n  from: ../in.csv\n');
    for (const [file, out] of [
      ['svc.yaml', 'svc.yaml'],
      ['settings', 'settings/a.yaml'],
      ['settings', 'hard'],
    ] as const) {
      const before = await readFile(join(home, out), 'utf8');
      const words = ['--local', 'plan', '--file', file, '--out', out, '--force'];
      const { code, stderr } = await svc(words);
      expect({ out, code, stderr }).toEqual({
        out,
        code: 2,
        stderr: expect.stringContaining('are the same file'),
      });
      expect(await readFile(join(home, out), 'utf8')).toBe(before);
    }
  });
});

describe('an existing file', () => {
  const WRITERS: Readonly<Record<string, readonly string[]>> = {
    plan: ['--local', 'plan', '--out'],
    schema: ['schema', 'settings', '--out'],
    'schema of an operation': ['schema', 'users.add', '--out'],
    export: ['local', 'export'],
    'export as YAML': ['local', 'export', '-o', 'yaml'],
    'HTTP archive': ['local', 'requests', 'list', '--har'],
    results: ['--local', 'users', 'add', '--org', 'acme', '--file', 'in.csv', '--results'],
    report: ['jobs', 'show', '--html', '--file'],
  };

  async function newUserWithJob() {
    const user = await newUserInProcess();
    await createNames(user.home);
    await writeFile(join(user.home, 'svc.yaml'), 'organizations:\n  - organizationId: b\n');
    for (const words of [
      ['--local', 'orgs', 'add', '--org', 'acme'],
      ['--local', 'users', 'add', '--org', 'acme', '--file', 'in.csv'],
    ])
      expect(await user.svc(words)).toMatchObject({ code: 0 });
    return user;
  }

  it.each(Object.entries(WRITERS))(
    'is replaced by a %s only if it is one, or with --force',
    async (_, words) => {
      const { svc, home } = await newUserWithJob();
      const path = join(home, 'out');
      const write = (text: string) => writeFile(path, text);
      await write('mine\n');
      const refused = await svc([...words, 'out']);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toMatch(/out already exists and is not .*\nhint: .*--force/);
      expect(await readFile(path, 'utf8')).toBe('mine\n');
      expect(await svc([...words, 'out', '--force'])).toMatchObject({ code: 0 });
      const written = await readFile(path, 'utf8');
      expect(written).not.toContain('mine');
      expect(await svc([...words, 'out'])).toMatchObject({ code: 0 });
      await write('');
      expect(await svc([...words, 'out'])).toMatchObject({ code: 0 });
      expect(await readFile(path, 'utf8')).not.toBe('');
    },
  );

  it.each([
    ['a comment', 'organizations:\n  # ours\n  - organizationId: acme\n'],
    ['a stack', 'organizations:\n  - organizationId: acme\nstack: prod\n'],
    ['a reference', 'organizations:\n  - organizationId: ${ORG}\n'],
    ['users of a file', 'organizations: []\nusers:\n  from: users.csv\n'],
    ['a stack in JSON', '{"organizations": [], "stack": "prod"}'],
    ['users of a file in JSON', '{"organizations": [], "users": {"from": "users.csv"}}'],
  ])('is not an export to replace if it has %s', async (_, text) => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'svc.yaml'), text);
    expect(await svc(['local', 'export', 'svc.yaml'])).toMatchObject({ code: 2 });
    expect(await readFile(join(home, 'svc.yaml'), 'utf8')).toBe(text);
  });

  it('is only compared with the inputs in a dry run', async () => {
    const { svc, home } = await newUserWithJob();
    await writeFile(join(home, 'out'), 'mine\n');
    const words = ['--local', '--dry-run', 'users', 'add', '--org', 'acme', '--file', 'in.csv'];
    expect(await svc([...words, '--results', 'out'])).toMatchObject({ code: 0 });
    expect(await svc([...words, '--results', 'hard'])).toMatchObject({ code: 2 });
    expect(await readFile(join(home, 'out'), 'utf8')).toBe('mine\n');
  });
});
