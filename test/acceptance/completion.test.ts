import { spawnSync } from 'node:child_process';
import { access, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { BIN, HOME } from './svc.ts';
import { serveShells } from './svc-for-shells.ts';
import { startInTerminal, type Terminal } from './terminal.ts';

/**
 * Key that is unused in every shell. The binding makes the shell print its line after it has
 * handled all earlier keys.
 */
const WRITE_LINE = '\u0002';

const BASH = {
  shell: 'bash',
  words: ['--norc', '--noprofile', '-i'],
  setUp: `PROMPT_COMMAND='echo >> "$PROMPTS"'; bind -x '"\\C-b": printf %s "$READLINE_LINE" > "$LINE"'; PS1='rea''dy> '; . ${join(HOME, 'completions', 'svc.bash')}`,
};
/** Path of bash 3.2, the version on macOS. Debian has no package for it. */
const { SVC_TEST_OLD_BASH: oldBash } = process.env;

/**
 * Start-up options of each shell without user settings, and the setup commands. Each prompt adds a
 * line to `$PROMPTS`.
 */
const SHELLS = [
  BASH,
  ...(oldBash ? [{ ...BASH, shell: oldBash }] : []),
  {
    shell: 'zsh',
    words: ['-f', '-i'],
    setUp: `precmd() { echo >> "$PROMPTS" }; write-line() { print -rn -- "$BUFFER" > "$LINE" }; zle -N write-line; bindkey '^B' write-line; PS1='rea''dy> '; autoload -Uz compinit; compinit -D -u; bindkey '^I' complete-word; . ${join(HOME, 'completions', '_svc')}`,
  },
  {
    shell: 'fish',
    words: ['--no-config', '-i'],
    setUp: `function fish_prompt; echo >> $PROMPTS; echo -n 'rea''dy> '; end; bind \\cb 'commandline > $LINE'; source ${join(HOME, 'completions', 'svc.fish')}`,
  },
];

function isInstalled(shell: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0;
}

const shells = serveShells();

/**
 * Creates a user in a folder with some files and some remembered IDs. The `svc` on the path
 * completes for real, first as a process. Any other call only records its arguments, so that tests
 * can check the completed command line.
 */
async function prepareUser(shell: (typeof SHELLS)[number]) {
  const user = await newUserInProcess();
  const [bin, folder, called] = ['bin', 'work', 'called'].map((name) => join(user.home, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(bin);
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(join(folder, 'people list.json'), '[]');
  await mkdir(join(folder, 'my records'));
  await writeFile(join(folder, 'my records', 'new.csv'), '');
  await writeFile(join(folder, 'back\\slash.csv'), '');
  await writeFile(join(folder, 'data', "it's $HOME.csv"), '');
  await writeFile(join(user.home, 'at home.csv'), '');
  await writeFile(
    join(bin, 'svc'),
    `#!/bin/sh
if [ "$1" = __complete ]; then
  if [ -e '${called}.asked' ]; then '${called}.fast' "$@"; else '${process.execPath}' '${BIN}' "$@"; fi
  echo asked >> '${called}.asked'
  exit
fi
printf '%s\\n' "$@" > '${called}.part'; mv '${called}.part' '${called}'
`,
  );
  await chmod(join(bin, 'svc'), 0o755);
  await (await shells).install(`${called}.fast`);
  const [prompts, line] = [join(user.home, 'prompts'), join(user.home, 'line')];
  const env = {
    ...user.env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    LC_ALL: 'C.UTF-8',
    PROMPTS: prompts,
    LINE: line,
  };
  await user.svc(['users', 'add', '--local', '--org', 'acme:eu', '--user', 'u1', '--name', 'U']);
  await user.svc(['folders', 'list', '--local', '--org', 'acme:eu']);
  await user.svc(['users', 'add', '--local', '--org', 'acme:eu', '--user', 'ada@example.com']);
  const open = startInTerminal(shell.shell, shell.words, { env, cwd: folder, columns: 200 });
  open.type(`${shell.setUp}\r`);
  await open.shows('ready> ');
  return { open, bin, home: user.home, folder, called, prompts, line };
}

/**
 * Waits for a file, returns its content, and deletes it. Returns `undefined` if the file does not
 * appear.
 */
async function takeFile(path: string, milliseconds: number): Promise<string | undefined> {
  for (let waited = 0; waited < milliseconds; waited += 10) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) {
      await rm(path);
      return text;
    }
    await sleep(10);
  }
  return undefined;
}

async function countLines(path: string): Promise<number> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').length;
}

/** Resolves when the file has more lines than before, or after a timeout. */
async function waitForLine(path: string, before: number): Promise<void> {
  for (let tries = 0; (await countLines(path)) <= before && tries < 1000; tries += 1)
    await sleep(10);
}

/**
 * Returns the current line of the shell after it has handled all keys; bash 3.2 does not report it
 * and returns ''. An interrupted shell may lose keys, so `first` is typed again if necessary.
 */
async function readCommandLine(open: Terminal, line: string, first = ''): Promise<string> {
  for (let tries = 0; tries < 15; tries += 1) {
    if (tries % 3 === 0) open.type(first);
    open.type(WRITE_LINE);
    const text = await takeFile(line, 1000);
    if (text !== undefined) return text.trimEnd();
  }
  throw new Error(`the shell reads no keys:\n${open.screen()}`);
}

/** Typed keys, with the expected arguments of the completed command. */
function completionCases(home: string): readonly (readonly [readonly string[], ...string[]])[] {
  const add = ['users', 'add', '--file'];
  const list = ['folders', 'list', '--local'];
  const filter = ['webhooks', 'endpoints', 'create', '--filter-type'];
  return [
    [
      ['svc webh\t', 'end\t', 'cre\t', '--filter-t\t', 'comment_annotation.pri\t'],
      ...filter,
      'comment_annotation.priority_change',
    ],
    [['svc users add --input-format=nd\t', 'x'], 'users', 'add', '--input-format=ndjson', 'x'],
    [['svc users add --file peo\t', 'x'], ...add, 'people list.json', 'x'],
    [['svc users add --file da\t', 'it\t', 'x'], ...add, "data/it's $HOME.csv", 'x'],
    [['svc users add --file "my\t', 'ne\t', ' x'], ...add, 'my records/new.csv', 'x'],
    [['svc users add --file back\t', 'x'], ...add, 'back\\slash.csv', 'x'],
    [['svc users add --file ~/at\t', 'x'], ...add, join(home, 'at home.csv'), 'x'],
    [['svc folders list --local --org acme:\t', 'x'], ...list, '--org', 'acme:eu', 'x'],
    [['svc folders list --local --org ac\t', 'x'], ...list, '--org', 'acme:eu', 'x'],
    [['svc folders list --local --org="acme:\t', ' x'], ...list, '--org=acme:eu', 'x'],
    [
      ['svc users data --local --user ada@ex\t', 'x'],
      'users',
      'data',
      '--local',
      '--user',
      'ada@example.com',
      'x',
    ],
  ];
}

describe.each(SHELLS)('completion in $shell', (shell) => {
  it.skipIf(!isInstalled(shell.shell))(
    'completes the current word',
    { timeout: 120_000 },
    async () => {
      const { open, home, called, prompts, line } = await prepareUser(shell);
      const becomes = async (pieces: readonly string[], words: readonly string[]) => {
        for (const piece of pieces) {
          const before = await countLines(`${called}.asked`);
          open.type(piece);
          if (!piece.endsWith('\t')) continue;
          await waitForLine(`${called}.asked`, before);
          await readCommandLine(open, line);
        }
        const before = await countLines(prompts);
        open.type('\r');
        const text = await takeFile(called, 10_000);
        expect(text?.trimEnd().split('\n'), open.screen().slice(-400)).toEqual(words);
        await waitForLine(prompts, before);
      };
      for (const [pieces, ...words] of completionCases(home)) await becomes(pieces, words);
      open.kill();
      await open.ended;
    },
  );

  it.skipIf(!isInstalled(shell.shell))('never executes the command line', SLOW, async () => {
    const { open, folder, line } = await prepareUser(shell);
    for (const hostile of [
      '$(touch pwned)',
      '`touch pwned`',
      '"$(touch pwned)',
      "'; touch pwned;",
      '*',
      '~/$(touch pwned)',
    ]) {
      open.type(`svc users add --org ${hostile}\t`);
      await readCommandLine(open, line);
      open.type('\t');
      await readCommandLine(open, line);
      open.type('\u0015');
      expect(await readCommandLine(open, line)).toBe('');
    }
    await expect(access(join(folder, 'pwned'))).rejects.toThrow();
    open.kill();
    await open.ended;
  });
});

describe.each(SHELLS)('completion in $shell without svc', (shell) => {
  it.skipIf(!isInstalled(shell.shell))('stays silent', SLOW, async () => {
    const { open, bin, called, line } = await prepareUser(shell);
    const said = async (text: string) => {
      const shown = open.shows(text).then(() => true);
      for (let tries = 0; tries < 20; tries += 1) {
        open.type(`\u0015echo ${text.replace(' ', " '")}'\r`);
        if (await Promise.race([shown, sleep(1000, false)])) break;
      }
      await shown;
    };
    for (const [kind, body] of [
      ['failing', 'echo an error >&2; exit 70'],
      ['hanging', 'sleep 60'],
      ['missing', undefined],
    ] as const) {
      if (body === undefined) await rm(join(bin, 'svc'));
      else await writeFile(join(bin, 'svc'), `#!/bin/sh\necho > '${called}'\n${body}\n`);
      open.type('svc users \t');
      if (body === undefined) await readCommandLine(open, line);
      else expect(await takeFile(called, 10_000), kind).toBeDefined();
      // Ctrl-C ends a hanging command, and Ctrl-U clears the line.
      await readCommandLine(open, line, '\u0003');
      expect(open.screen(), kind).not.toMatch(/error|not found|Unknown|No such/i);
      await said(`${kind} still here`);
    }
    open.kill();
    await open.ended;
  });
});

describe('IDs of earlier commands', () => {
  it('are completed for every kind of object without a request', async () => {
    const { env, svc } = await newUserInProcess();
    const answers = [
      ['users/add', success({ 'ada@example.com': { success: true, message: 'ok' } })],
      ['usergroups/add', success({ g1: { success: true, message: 'ok' } })],
      ['folders/get', success([{ folderId: 'f1', subFolders: [{ folderId: 'f2' }] }])],
      ['documents/get', success([{ id: 'd1', documentName: 'D' }])],
      ['agents/get', success({ agents: [{ id: 'a1', name: 'A' }] })],
      [
        'endpoints/get',
        success({ endpoints: [{ id: 'ep_1', url: 'https://example.com' }], done: true }),
      ],
      ['endpoints/delete', success(null)],
    ] as const;
    const service = await startMockService(
      ({ path }) => answers.find(([end]) => path.endsWith(end))?.[1],
    );
    const run = (line: string) => svc(line.split(' '), { env: { ...env, ...service.env } });
    const offered = async (line: string) => {
      const { stdout } = await svc(['__complete', ...line.split(' ')], {
        env: { ...env, ...service.env },
      });
      return stdout.split('\n').slice(0, -1);
    };
    for (const line of [
      'users add --org acme --user ada@example.com --name Ada',
      'groups add --org acme --group g1 --name G',
      'folders list --org acme',
      'documents list --org acme',
      'agents list',
      'webhooks endpoints list',
    ]) {
      expect(await run(line), line).toMatchObject({ code: 0 });
    }
    const asked = service.received.length;
    expect(await offered('users data --org ')).toEqual(['acme']);
    expect(await offered('users data --user ')).toEqual(['ada@example.com']);
    expect(await offered('agents list --group ')).toEqual(['g1']);
    expect(await offered('folders list --folder ')).toEqual(['f1', 'f2']);
    expect(await offered('folders update --parent ')).toEqual(['f1', 'f2']);
    expect(await offered('documents list --document ')).toEqual(['d1']);
    expect(await offered('agents get ')).toEqual(['a1']);
    expect(await offered('webhooks endpoints delete ')).toEqual(['ep_1']);
    expect(await offered('webhooks endpoints delete --local ')).toEqual([]);
    expect(service.received).toHaveLength(asked);
    expect(await run('webhooks endpoints delete ep_1 --yes')).toMatchObject({ code: 0 });
    expect(await offered('webhooks endpoints delete ')).toEqual([]);
  });
});
