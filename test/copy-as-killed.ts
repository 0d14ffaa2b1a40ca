import { cp, readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

type Process = { readonly pid?: number | undefined; kill(signal: NodeJS.Signals): unknown };

/**
 * Returns a copy of a folder as kill -9 would leave it at this moment: the process does not run
 * while it is copied. It then continues, so that one process is enough to test many moments.
 */
export async function copyAsKilled(child: Process, folder: string): Promise<string> {
  const copy = await createTemporaryFolder();
  child.kill('SIGSTOP');
  try {
    await waitUntilStopped(child);
    await cp(folder, copy, { recursive: true });
  } finally {
    child.kill('SIGCONT');
  }
  return copy;
}

/**
 * Waits until all threads of a process have stopped or ended. Systems without /proc do not tell
 * when.
 */
async function waitUntilStopped({ pid }: Process): Promise<void> {
  if (process.platform !== 'linux') return sleep(20);
  await eventually(async () => {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
    for (const thread of threads) {
      const state = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
      if (/\) [DRS] /.test(state)) throw new Error(`thread ${thread} is running`);
    }
  }, 1);
}
