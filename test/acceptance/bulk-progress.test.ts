import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { ADD_USERS, createBulkUser, type RequestHandler } from './bulk-service.ts';
import { renderScreen } from './screen.ts';
import { BIN, newUser, sharedCache } from './svc.ts';
import { startInTerminal } from './terminal.ts';

/** Creates a user with a terminal, a file of users, and a service. */
async function startAtTerminal(
  users: number,
  columns: number,
  words: readonly string[],
  judge?: RequestHandler,
) {
  const world = await createBulkUser(users, judge);
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.home, ...world.env, ...sharedCache() };
  const command = [BIN, ...ADD_USERS.slice(0, -2), ...words];
  const start = (beside: Readonly<Record<string, string>> = {}) =>
    startInTerminal(process.execPath, command, {
      env: { ...env, ...beside },
      columns,
      cwd: world.home,
    });
  return { ...world, start };
}

/** Returns all versions of the progress line that the screen showed. */
const findProgressLines = (screen: string) =>
  screen.split(/[\r\n]+/).filter((line) => /%/.test(line));

describe('a job in a terminal', () => {
  it.each([100, 40])(
    'shows a progress bar that fits %d columns and removes it at the end',
    SLOW,
    async (columns) => {
      const { start } = await startAtTerminal(1_200, columns, ['--rate', '1000/s']);
      const { ended, screen } = start();
      expect(await ended).toBe(0);
      const lines = findProgressLines(screen());
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines)
        expect([
          line,
          line.length < columns,
          /^((checking|sending) {2})?█*░* {2}[ \d]{0,2}\d%/.test(line),
        ]).toEqual([line, true, true]);
      expect(screen().trimEnd().replaceAll(/\s+/g, ' ')).toMatch(
        / 1,200 users: 1,200 succeeded \(\d+ requests, [\d.]+ s\) for a page about this job, run .*svc jobs show .*--html$/,
      );
    },
  );

  it('explains at Ctrl-C what it waits for, and exits at the second Ctrl-C', SLOW, async () => {
    const { start, more } = await startAtTerminal(
      2_000,
      80,
      ['--concurrency', '2'],
      (_, request) => (request > 4 ? 'silence' : undefined),
    );
    const reached = more(6);
    const { ended, screen, shows, type } = start({ SVC_OUTPUT: 'table' });
    await reached;
    await shows('20%');
    type('\u0003');
    await shows(
      'stopping: waiting for 2 requests in flight (press Ctrl-C again to stop immediately)',
    );
    const before = screen();
    type('\u0003');
    expect(await ended).toBe(130);
    expect(findProgressLines(screen().slice(before.length))).toEqual([]);
  });

  it('prints lines instead of a bar with ACCESSIBLE', SLOW, async () => {
    const { start } = await startAtTerminal(1_200, 80, ['--rate', '1000/s']);
    const { ended, screen } = start({ ACCESSIBLE: '1' });
    expect(await ended).toBe(0);
    expect(screen()).toMatch(
      /^1,200 users: 1,200 succeeded[^\r\n]*\r\nfor a page about this job, run svc jobs show \S+ --html\r\n$/,
    );
  });
});

describe('a check of records in a terminal', () => {
  it('shows a progress bar with findings above it and removes it at the end', SLOW, async () => {
    const { home } = await newUser();
    // The check takes several times as long as the bar waits.
    const records = Array.from(
      { length: 240_000 },
      (_, at) => `{"userId":"u${at}","name":${at % 60_000 ? '"A"' : 7}}\n`,
    );
    await writeFile(join(home, 'users.ndjson'), records.join(''));
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...sharedCache() };
    const words = [BIN, 'users', 'validate', '--file', 'users.ndjson'];
    const { ended, raw } = startInTerminal(process.execPath, words, {
      env,
      columns: 80,
      cwd: home,
    });
    expect(await ended).toBe(3);
    expect(raw()).toMatch(/checking {2}█*░* {2}[ \d]\d% {2}[\d.]+ MB of 7\.6 MB/);
    expect(renderScreen(raw(), 80).filter((line) => line !== '')).toEqual([
      ...[1, 60_001, 120_001, 180_001].map((line) =>
        expect.stringMatching(`^users.ndjson:${line}: name: `),
      ),
      expect.stringMatching(/^svc: users.ndjson: 4 problems in /),
      expect.stringMatching(/^hint: /),
    ]);
  });
});

describe('a job without a terminal', () => {
  it('explains at a signal what it waits for, and prints nothing with --quiet', SLOW, async () => {
    const { start, more } = await createBulkUser(2_000, (_, request) =>
      request > 4 ? 'silence' : undefined,
    );
    for (const [words, said] of [
      [[], ['stopping: waiting for 2 requests in flight (a second signal stops immediately)']],
      [['-q'], []],
    ] as const) {
      const reached = more(6);
      const running = start(...ADD_USERS, '--concurrency', '2', '--timeout', '500ms', ...words);
      await reached;
      running.kill('SIGTERM');
      const { stderr } = await running.ended;
      const lines = stderr.trimEnd().split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        said.map((message) => ({ note: { level: 'info', message } })),
      );
    }
  });
});
