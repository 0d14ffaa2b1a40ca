import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SvcError } from '../../kernel/errors.ts';
import { currentPlatform } from '../../kernel/process.ts';
import type { Context } from '../context.ts';

/** Time to wait for a program that opens a file, in milliseconds. A browser may keep running. */
const START_TIMEOUT = 2_000;

/**
 * Opens a file with the program in `BROWSER`, or with the browser of the system.
 * @throws SvcError `local` if no program opens it
 */
export async function startBrowser(
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
