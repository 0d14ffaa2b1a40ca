import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Activity, trackActivity } from '../../../src/commands/activity.ts';
import { historyCommand } from '../../../src/commands/history/history.ts';
import { recordRun, sanitizeCommand } from '../../../src/commands/history/record.ts';
import { appendEntry, readEntries } from '../../../src/commands/history-log.ts';

import { systemClock } from '../../../src/kernel/clock.ts';
import {
  addThings,
  newClient,
  OPERATIONS,
  scriptedFetch,
  success,
  thing,
} from '../../client/client-fixture.ts';
import { codePoint } from '../../code-point.ts';
import { repeats } from '../../repeats.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

const line = (command: string, at = '2030-01-01T00:00:00.000Z') => JSON.stringify({ at, command });

const SERVICE = { profile: 'prod', host: 'api.example.com' };

describe('the log', () => {
  it('accepts lines of many concurrent writers, and is private to its owner', async () => {
    const folders = await createUserFolders();
    const commands = Array.from({ length: 200 }, (_, index) => `c${index}`);
    await Promise.all(commands.map((command) => appendEntry(folders, systemClock, line(command))));
    const found = await readEntries(folders);
    expect(found.map(({ command }) => command).sort()).toEqual(commands.sort());
    const folder = join(folders.state, 'history');
    expect((await stat(join(folder, 'history.ndjson'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('is limited in size, and drops the older half', async () => {
    const folders = await createUserFolders();
    const padding = 'x'.repeat(200_000);
    for (let index = 0; index < 20; index += 1)
      await appendEntry(folders, systemClock, line(`${index} ${padding}`));
    const folder = join(folders.state, 'history');
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2.6 * 1024 * 1024);
    const kept = (await readEntries(folders)).map(({ command }) => Number.parseInt(command, 10));
    expect(kept.at(-1)).toBe(19);
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
    expect(kept.length).toBeGreaterThan(5);
  });

  it('loses at most a truncated line', async () => {
    const folders = await createUserFolders();
    await appendEntry(folders, systemClock, line('first'));
    await appendFile(join(folders.state, 'history', 'history.ndjson'), line('cut').slice(0, 20));
    await appendEntry(folders, systemClock, line('last'));
    expect((await readEntries(folders)).map(({ command }) => command)).toEqual(['first', 'last']);
  });
});

describe('the command line in the log', () => {
  const program = () => {
    const root = new Command('svc').option('-y, --yes').option('-o, --output <format>');
    const leaf = new Command('add')
      .argument('[ids...]')
      .option('--org <id>')
      .option('--name <text>')
      .option('--file <path>');
    leaf.option('--metadata <key=value>', '', (value: string, before: string[] = []) => [
      ...before,
      value,
    ]);
    leaf.option('--enable').addOption(new Option('--role <text>').choices(['viewer', 'editor']));
    leaf.addOption(new Option('--no-index').default(undefined));
    root.addCommand(leaf.action(() => undefined));
    return { root, leaf };
  };

  it('contains every flag, and the values that are not free text', async () => {
    const { root, leaf } = program();
    const words = [
      'add',
      'e1',
      '--org',
      'acme',
      '--name',
      'Ann',
      '--file',
      'u.csv',
      '--metadata',
      'a=1',
      '--metadata',
      'b=2',
    ];
    await root.parseAsync([...words, '--role', 'viewer', '--no-index', '-y', '-o', 'json'], {
      from: 'user',
    });
    expect(sanitizeCommand(leaf)).toBe(
      'svc add e1 --org acme --name … --file u.csv --metadata … --role viewer --no-index --yes --output json',
    );
  });

  it('never contains free text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z0-9]{9,40}$/), async (secret) => {
        const { root, leaf } = program();
        await root.parseAsync(['add', '--name', secret, '--metadata', `k=${secret}`], {
          from: 'user',
        });
        expect(sanitizeCommand(leaf)).not.toContain(secret);
      }),
    );
  });
});

describe('the writes of a command', () => {
  it('are counted with their IDs, including those in the response; reads are not', async () => {
    const { client } = newClient({
      fetch: scriptedFetch(success({ id: 'made', migrationId: 'm1', token: 'secret' })).fetch,
    });
    const activity = new Activity();
    const seen = trackActivity(client, activity, SERVICE);
    await seen.call(OPERATIONS.read, { name: 'x' });
    expect(activity.calls).toBe(0);
    await seen.call(OPERATIONS.set, { name: 'x' });
    await seen.send(
      { ...thing, effect: 'once' },
      { organizationId: 'acme', userIds: ['u1', 'u2'], name: 'Ann', page: 3 },
    );
    expect(activity.calls).toBe(2);
    expect(activity.ids).toEqual(['made', 'm1', 'acme', 'u1', 'u2']);
  });

  it('include the first IDs of a batch of any size', async () => {
    const { client } = newClient({ fetch: scriptedFetch(success({})).fetch });
    const activity = new Activity();
    const things = Array.from({ length: 500 }, (_, index) => ({ id: `t${index}` }));
    await trackActivity(client, activity, SERVICE).call(addThings, { things });
    expect(activity.ids).toEqual(things.slice(0, 20).map(({ id }) => id));
  });

  it('are recorded even if they fail', async () => {
    const { client } = newClient({ fetch: scriptedFetch(new Error('down')).fetch });
    const activity = new Activity();
    await expect(
      trackActivity(client, activity, SERVICE).call(OPERATIONS.once, {}),
    ).rejects.toThrow();
    expect(activity.calls).toBe(1);
  });
});

describe('a line', () => {
  it('is short enough for one write, for any IDs and any command', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: codePoint, maxLength: 300 }), { maxLength: 30 }),
        async (ids) => {
          const context = await fakeContext({ options: { local: true } });
          const activity = new Activity();
          activity.calls = 1;
          activity.recordIds(ids);
          const command = new Command('svc').argument('[ids...]');
          await command.action(() => undefined).parseAsync(['--', ...ids], { from: 'user' });
          await recordRun(context, activity, { command, started: 0, error: undefined });
          const text = await readFile(
            join(context.folders.state, 'history', 'history.ndjson'),
            'utf8',
          );
          expect(Buffer.byteLength(text)).toBeLessThan(4_096);
          expect(await readEntries(context.folders)).toHaveLength(1);
        },
      ),
      { numRuns: repeats(15) },
    );
  });

  it('that cannot be written is a warning with the reason', async () => {
    const context = await fakeContext({ options: { local: true } });
    await writeFile(context.folders.state, 'no folder');
    await recordRun(context, new Activity(), {
      command: new Command('svc'),
      started: 0,
      error: undefined,
    });
    expect(context.stderr()).toMatch(
      /^warning: the command was not recorded in the history: cannot .*\n$/,
    );
  });
});

describe('svc history', () => {
  it('shows the last commands since a time', async () => {
    const list = { limit: 1, all: false };
    const context = await fakeContext({ options: { output: 'json', list } });
    const now = Date.now();
    for (const hours of [5, 3, 1]) {
      await appendEntry(
        context.folders,
        systemClock,
        line(`h${hours}`, new Date(now - hours * 3_600_000).toISOString()),
      );
    }
    await historyCommand(context, { arguments: [], options: { since: '4h' } });
    expect(JSON.parse(context.stdout())).toMatchObject([{ command: 'h1' }]);
    expect(context.stderr()).toContain('more results: 1 shown');
  });

  it.each([
    { words: ['clean'], options: {} },
    { words: [], options: { since: 'once' } },
  ])('rejects $words $options', async ({ words, options }) => {
    const context = await fakeContext();
    await expect(historyCommand(context, { arguments: words, options })).rejects.toMatchObject({
      failure: 'usage',
    });
  });

  it('is cleared without confirmation in a script, and with confirmation on a terminal', async () => {
    const folders = await createUserFolders();
    await appendEntry(folders, systemClock, line('c'));
    const person = await fakeContext({ folders, answers: ['no'] });
    await expect(historyCommand(person, { arguments: ['clear'], options: {} })).rejects.toThrow(
      'not confirmed',
    );
    expect(await readEntries(folders)).toHaveLength(1);
    await historyCommand(await fakeContext({ folders }), { arguments: ['clear'], options: {} });
    expect(await readEntries(folders)).toEqual([]);
  });
});
