import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { announceServer } from '../../../src/commands/connection/running-servers.ts';
import { openInBrowser } from '../../../src/commands/jobs/open.ts';
import { eventually } from '../../eventually.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

const UI = 'http://127.0.0.1:8080/_svc/ui#token=secret-token';

/** Creates a context whose browser is a script that notes its arguments. */
async function withBrowser() {
  const folder = await createTemporaryFolder();
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
  await writeFile(browser, `#!/bin/sh\necho "$*" > '${opened}'\n`);
  await chmod(browser, 0o755);
  const context = await fakeContext({ environment: { BROWSER: browser } });
  const announce = async (ui: string | null) => {
    const server = { url: 'http://127.0.0.1:8080', ui, store: '/store', startedAt: 1 };
    const forget = await announceServer(context.folders, server);
    onTestFinished(forget);
    return forget;
  };
  return { context, announce, opened };
}

it('opens the inspector through a private page, so that no argument contains the token', async () => {
  const { context, announce, opened } = await withBrowser();
  const forget = await announce(UI);
  await openInBrowser(context);
  const path = await eventually(async () => (await readFile(opened, 'utf8')).trim());
  expect(path).toMatch(/inspector\.html$/);
  expect(await readFile(path, 'utf8')).toContain(`url=${UI}"`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(context.stderr()).toBe('Opened the inspector of http://127.0.0.1:8080\n');
  await forget();
  await expect(openInBrowser(context)).rejects.toMatchObject({ failure: 'not_found' });
});

it('fails with the command if the server has no inspector', async () => {
  const { context, announce } = await withBrowser();
  await announce(null);
  await expect(openInBrowser(context)).rejects.toMatchObject({
    failure: 'failed_precondition',
    message: 'the server on http://127.0.0.1:8080 has no inspector',
  });
});

it('opens no report if no server runs on a given store', async () => {
  const { context } = await withBrowser();
  const options = { ...context.options, store: 'other.sqlite' };
  await expect(openInBrowser({ ...context, options })).rejects.toMatchObject({
    failure: 'not_found',
    message: 'no server is running on store other.sqlite',
  });
});

it('fails if no browser can be started', async () => {
  const { context, announce } = await withBrowser();
  await announce(UI);
  const environment = { BROWSER: '/nonexistent/browser' };
  await expect(openInBrowser({ ...context, environment })).rejects.toMatchObject({
    failure: 'local',
    message: 'no browser could be started with /nonexistent/browser',
  });
});
