import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Measurements of a process. */
export interface Run {
  /** From the start of the process to its end. */
  readonly seconds: number;
  readonly megabytes: number;
  /** Seconds of processor time, which a busy machine stretches less. */
  readonly work: number;
  /** The part of `work` that is not the operating system's. */
  readonly userWork: number;
  /** Requests that svc reports; 0 for the plain client. */
  readonly requests: number;
}

/**
 * Runs a command that has to end well and say that all went through. No other process may end
 * meanwhile.
 * @param home folder of the process, also its home
 */
export async function timedRun(
  words: readonly string[],
  home: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const credentials = { SVC_API_KEY: 'bench', SVC_AUTH_TOKEN: 'bench' };
  const env = { PATH: process.env['PATH'], HOME: home, ...credentials, ...more };
  const before = workOfEnded();
  const start = performance.now();
  const child = spawn(process.execPath, words, {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, peak] = ['', 0];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 20);
  const [code] = await once(child, 'close');
  clearInterval(look);
  if (code !== 0 || !/"(?:succeeded|records)": ?[1-9]/.test(output))
    throw new Error(`${words.join(' ')}\n${output}`);
  const requests = Number(/"requests": ?(\d+)/.exec(output)?.[1] ?? 0);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = workOfEnded();
  const userWork = user - before.user;
  const work = userWork + system - before.system;
  return { seconds, megabytes: peak, work, userWork, requests };
}

/** The most memory that a process had at any time so far, in MB; 0 when it is gone. */
function peakOf(pid: number | undefined): number {
  const [, kilobytes = 0] = /VmHWM:\s+(\d+)/.exec(ofProcess(pid, 'status')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Seconds of user and system time of all processes that this one started and that have ended. */
function workOfEnded(): { readonly user: number; readonly system: number } {
  const stat = ofProcess('self', 'stat');
  const [, user = 0, system = 0] = /\) (?:\S+ ){13}(\d+) (\d+)/.exec(stat) ?? [];
  return { user: Number(user) / 100, system: Number(system) / 100 };
}

function ofProcess(pid: number | 'self' | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
