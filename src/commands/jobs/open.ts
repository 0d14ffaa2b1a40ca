import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findJob, listJobNames } from '../../bulk/journal/job-folder.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { createPrivateFolder } from '../../kernel/files.ts';
import { currentPlatform } from '../../kernel/process.ts';
import { replaceFile } from '../../kernel/staged-file.ts';
import {
  findServerOfStore,
  type KnownServer,
  listRunningServers,
  locateServers,
} from '../connection/running-servers.ts';
import type { Context } from '../context.ts';
import { html } from './report/html.ts';
import { writeReport } from './report/write-report.ts';

/**
 * Opens the inspector of the running `svc serve` in a browser, or without a server the report of the
 * last job.
 * @throws SvcError `failed_precondition` if the server has no inspector, `not_found` without a
 * server and a job
 */
export async function openInBrowser(context: Context): Promise<void> {
  const server = await findServer(context);
  if (server) return openInspector(context, server);
  const { store } = context.options;
  if (store !== undefined)
    throw new SvcError('not_found', `no server is running on store ${store}`, {
      hint: hint`to start a server with the inspector, run ${step('change', 'serve', '--ui')}`,
    });
  const [last] = await listJobNames(context.folders);
  if (last === undefined)
    throw new SvcError('not_found', 'no server is running, and there are no jobs', {
      hint: hint`to start a server with the inspector, run ${step('change', 'serve', '--ui')}`,
    });
  const folder = await findJob(context.folders, last);
  const file = join(folder.path, 'report.html');
  await writeReport(context, folder, { file, force: true });
  await startBrowser(context, file);
  await context.note(`Opened the report of job ${last}`);
}

async function findServer(context: Context): Promise<KnownServer | undefined> {
  return context.options.store === undefined
    ? (await listRunningServers(context.folders))[0]
    : findServerOfStore(context);
}

async function openInspector(context: Context, { url, ui }: KnownServer): Promise<void> {
  if (ui === null) {
    const port = ['--port', new URL(url).port];
    throw new SvcError('failed_precondition', `the server on ${url} has no inspector`, {
      hint: hint`stop the server, then run ${step('change', 'serve', '--ui', ...port)}`,
    });
  }
  // The address contains the admin token. Other users can see the arguments of a process.
  const folder = locateServers(context.folders.state);
  const path = join(folder, 'inspector.html');
  await createPrivateFolder(folder);
  const page = html`<!doctype html>
<meta charset="utf-8">
<title>svc inspector</title>
<meta http-equiv="refresh" content="0; url=${ui}">
<a href="${ui}">Open the inspector</a>
`;
  await replaceFile(path, page.text, { durable: false });
  await startBrowser(context, path);
  await context.note(`Opened the inspector of ${url}`);
}

/** Time to wait for a program that opens a file, in milliseconds. A browser may keep running. */
const START_TIMEOUT = 2_000;

/**
 * Opens a file with the program in `BROWSER`, or with the browser of the system.
 * @throws SvcError `local` if no program opens it
 */
async function startBrowser(
  { environment, clock }: Pick<Context, 'environment' | 'clock'>,
  path: string,
): Promise<void> {
  const [program = '', ...words] = openerOf(environment['BROWSER'] ?? '');
  const child = spawn(program, [...words, path], { stdio: 'ignore', detached: true });
  const failed = once(child, 'exit').then(
    ([code]) => code !== 0,
    () => true,
  );
  const hasFailed = await Promise.race([failed, clock.sleep(START_TIMEOUT).then(() => false)]);
  child.unref();
  if (!hasFailed) return;
  throw new SvcError('local', `no browser could be started with ${program}`, {
    hint: `open ${path} in a browser, or set BROWSER to the command of one`,
  });
}

/** Returns the command line of the program that opens a file. `BROWSER` may list several. */
function openerOf(browser: string): readonly string[] {
  const [first = ''] = browser.split(currentPlatform === 'win32' ? ';' : ':');
  if (first.trim() !== '') return first.replaceAll('%s', '').trim().split(/ +/);
  if (currentPlatform === 'darwin') return ['open'];
  return currentPlatform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
