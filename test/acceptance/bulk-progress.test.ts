import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADD, importing, type Judge } from './bulk-service.ts';
import { screenOf } from './screen.ts';
import { BIN, newUser } from './svc.ts';
import { programInTerminal } from './terminal.ts';

/** A person with a terminal, a file of users and a service. */
async function atTerminal(users: number, columns: number, words: readonly string[], judge?: Judge) {
  const world = await importing(users, judge);
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.home, ...world.env };
  const command = [BIN, ...ADD.slice(0, -2), ...words];
  const start = (beside: Readonly<Record<string, string>> = {}) =>
    programInTerminal(process.execPath, command, { env: { ...env, ...beside }, columns, cwd: world.home });
  return { ...world, start };
}

/** What a line of the terminal showed at one time or another. */
const drawn = (screen: string) => screen.split(/[\r\n]+/).filter((line) => /%/.test(line));

describe('a job in a terminal', () => {
  it.each([100, 80, 40])('has a bar that fits %d columns, and leaves nothing of it behind', async (columns) => {
    const { start } = await atTerminal(1_200, columns, ['--rate', '1000/s']);
    const { ended, screen } = start();
    expect(await ended).toBe(0);
    const lines = drawn(screen());
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines)
      expect([line, line.length < columns, /^(sending {2})?█*░* {2}[ \d]\d %/.test(line)]).toEqual([line, true, true]);
    expect(
      screen()
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1),
    ).toMatch(/^1,200 users: 1,200 succeeded/);
  });

  it('ends at Ctrl-C: it says what it waits for, and a second one ends it at once', async () => {
    const { start, more } = await atTerminal(20_000, 80, ['--concurrency', '2'], (_, request) =>
      request > 4 ? 'silence' : undefined,
    );
    const reached = more(6);
    const { ended, screen, shows, type } = start({ SVC_OUTPUT: 'table' });
    await reached;
    await shows('2 %');
    type('\u0003');
    await shows('stopping: waiting for 2 requests in flight (Ctrl-C again ends at once)');
    const before = screen();
    type('\u0003');
    expect(await ended).toBe(130);
    expect(drawn(screen().slice(before.length))).toEqual([]);
  });

  it('has lines instead of a bar where ACCESSIBLE is set', async () => {
    const { start } = await atTerminal(1_200, 80, ['--rate', '1000/s']);
    const { ended, screen } = start({ ACCESSIBLE: '1' });
    expect(await ended).toBe(0);
    expect(screen()).toMatch(/^1,200 users: 1,200 succeeded[^\r\n]*\r\n$/);
  });
});

describe('a check of records in a terminal', () => {
  it('has the same bar, with what it finds above it and nothing of it left', async () => {
    const { home } = await newUser();
    const records = Array.from(
      { length: 400_000 },
      (_, at) => `{"userId":"u${at}","name":${at % 100_000 ? '"A"' : 7}}\n`,
    );
    await writeFile(join(home, 'users.ndjson'), records.join(''));
    const env = { PATH: process.env['PATH'] ?? '', HOME: home };
    const words = [BIN, 'users', 'validate', '--file', 'users.ndjson'];
    const { ended, raw } = programInTerminal(process.execPath, words, { env, columns: 80, cwd: home });
    expect(await ended).toBe(3);
    expect(raw()).toMatch(/checking {2}█*░* {2}[ \d]\d % {2}[\d.]+ MB of 13 MB/);
    expect(screenOf(raw(), 80).filter((line) => line !== '')).toEqual([
      ...[1, 100_001, 200_001, 300_001].map((line) => expect.stringMatching(`^users.ndjson:${line}: name: `)),
      expect.stringMatching(/^svc: users.ndjson: 4 problems in /),
      expect.stringMatching(/^hint: /),
    ]);
  });
});

describe('a job without a terminal', () => {
  it('says at a signal what it waits for, and nothing when it is quiet', async () => {
    const { start, more } = await importing(20_000, (_, request) => (request > 4 ? 'silence' : undefined));
    for (const [words, said] of [
      [[], 'stopping: waiting for 2 requests in flight (a second signal ends at once)\n'],
      [['-q'], ''],
    ] as const) {
      const reached = more(6);
      const running = start(...ADD, '--concurrency', '2', '--timeout', '500ms', ...words);
      await reached;
      running.kill('SIGTERM');
      const { stderr } = await running.ended;
      expect(stderr.slice(0, stderr.indexOf('{'))).toBe(said);
    }
  });
});
