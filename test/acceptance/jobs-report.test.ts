import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADD, importing, onlyJob } from './bulk-service.ts';
import { success } from './mock-service.ts';

/** A job of which every user with a 7 failed, for a reason that a service has no business to give. */
async function reported() {
  const world = await importing(300, (ids) =>
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
  expect((await world.svc(...ADD)).code).toBe(10);
  return { ...world, job: await onlyJob(world.svc) };
}

describe('svc jobs report', () => {
  it('writes a page beside nothing else, and never over another file', async () => {
    const { svc, home, job, env } = await reported();
    const first = await svc('jobs', 'report', job, '--html');
    expect([first.code, first.stdout, first.stderr]).toEqual([0, '', `wrote ${job}.html\n`]);
    const path = join(home, `${job}.html`);
    const page = await readFile(path, 'utf8');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(page).toContain('&lt;script&gt;fetch(&#39;//');
    expect(page).not.toMatch(/<script|\u202e/);
    expect(page).not.toContain(env.SVC_AUTH_TOKEN);
    await writeFile(path, 'mine');
    const again = await svc('jobs', 'report', job, '--html');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`${job}.html is there already`)]);
    expect(await readFile(path, 'utf8')).toBe('mine');
    const printed = await svc('jobs', 'report', job, '--html', '--file', '-');
    expect([printed.code, printed.stdout, printed.stderr]).toEqual([0, page, '']);
  });

  it('leaves nothing of a page that could not be written', async () => {
    const { svc, home, job } = await reported();
    expect((await svc('jobs', 'report', job, '--html', '--file', 'no/such/folder.html')).code).toBe(12);
    expect((await svc('jobs', 'report', job)).code).toBe(2);
    expect((await svc('jobs', 'report', '20260131-094500-5f3a9c', '--html')).code).toBe(2);
    await expect(stat(join(home, `${job}.html`))).rejects.toThrow('ENOENT');
  });
});

describe('svc jobs show', () => {
  it('is a receipt in words for people, and a document for programs', async () => {
    const { svc, job } = await reported();
    const shown = (await svc('jobs', 'show', job)).stdout;
    expect(shown).toMatch(/^records {4}300: 243 succeeded, 57 failed$/m);
    expect(shown).toMatch(
      /^failures {3}57 failed: <script>fetch\('\/\/.*'\)<\/script>\\u202e\(id\) \(not-found\): u7 on line 8, u17 on line 18, …$/m,
    );
    const { reasons, counts } = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect([counts.failed, reasons.most[0].count]).toEqual([57, 57]);
  });
});
