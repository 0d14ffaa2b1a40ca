import { SIGNAL_FAILURES, systemErrorCode } from './errors.ts';

export const processId: number = process.pid;
/**
 * User ID of this process; undefined on Windows. Unlike `os.userInfo`, it needs no entry in
 * /etc/passwd.
 */
export const userId: number | undefined = process.getuid?.();
export const nodeExecutable: string = process.execPath;
export const currentPlatform: NodeJS.Platform = process.platform;

/**
 * Returns the time since an arbitrary moment, in milliseconds. Changes to the system clock don't
 * affect it. Unlike `performance`, it takes no time to load.
 */
export function monotonicTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/**
 * Returns an empty string if the folder was deleted: see `isCurrentFolderDeleted`. Commands that
 * don't use it still work.
 */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (isCurrentFolderDeleted(error)) return '';
    throw error;
  }
}

export function isCurrentFolderDeleted(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

export const nodeVersion: string = process.version;

export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'; // The process belongs to another user.
  }
}

/**
 * Redirects the signals that would end this process.
 * @returns a function that restores the previous handlers
 */
export function interceptSignals(
  handle: (signal: keyof typeof SIGNAL_FAILURES) => void,
): () => void {
  const names = Object.keys(SIGNAL_FAILURES) as (keyof typeof SIGNAL_FAILURES)[];
  const restore = names.map((name) => {
    const previous = process.listeners(name);
    process.on(name, handle);
    for (const listener of previous) process.off(name, listener);
    return () => {
      for (const listener of previous) process.on(name, listener);
      process.off(name, handle);
    };
  });
  return () => {
    for (const restoreSignal of restore) restoreSignal();
  };
}

/**
 * Signals all processes of the job, as the terminal does. Windows has no process groups: only this
 * process is signaled.
 */
export function signalJob(signal: 'SIGINT' | 'SIGTSTP'): void {
  if (currentPlatform === 'win32') process.emit(signal, signal);
  else process.kill(0, signal);
}

/**
 * Calls `resume` when the job continues after Ctrl-Z.
 * @returns a function that removes the listener
 */
export function onContinued(resume: () => void): () => void {
  process.on('SIGCONT', resume);
  return () => process.off('SIGCONT', resume);
}

/**
 * Prevents libraries from ending the process on a signal. Their `once` listeners send the signal
 * again, which svc would treat as a second Ctrl-C. SIGXFSZ never gets a listener: Node.js ignores
 * this signal, so that a write beyond the file size limit fails with an error, until a listener is
 * added for the first time.
 */
export function ignoreSignalListenersOfLibraries(): void {
  const isIgnored = (event: unknown, listener: unknown) =>
    event === 'SIGXFSZ' ||
    (Object.hasOwn(SIGNAL_FAILURES, String(event)) && Object.hasOwn(Object(listener), 'listener'));
  process.on = new Proxy(process.on, {
    apply: (listen, self, parameters: readonly unknown[]) =>
      isIgnored(parameters[0], parameters[1]) ? process : Reflect.apply(listen, self, parameters),
  });
}

/**
 * Hides Node's warning that a built-in feature is experimental while `load` runs. `feature` is the
 * start of its text.
 */
export async function withoutExperimentalWarning<Value>(
  feature: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const restore = muteWarnings(
    (text, kind) => kind === 'ExperimentalWarning' && text.startsWith(feature),
  );
  try {
    return await load();
  } finally {
    restore();
  }
}

type IsMuted = (text: string, kind: unknown) => boolean;
const mutes = new Set<IsMuted>();
let { emitWarning } = process;

/**
 * Suppresses Node.js warnings that are not meant for users.
 * @returns a function that shows them again
 */
export function muteWarnings(isMuted: IsMuted): () => void {
  if (mutes.size === 0) {
    ({ emitWarning } = process);
    process.emitWarning = new Proxy(emitWarning, {
      apply: (warn, self, parameters: readonly unknown[]) => {
        const [warning, kind] = parameters;
        if (![...mutes].some((mute) => mute(String(warning), kind)))
          Reflect.apply(warn, self, parameters);
      },
    });
  }
  mutes.add(isMuted);
  // Several calls may overlap, and end in any order.
  return () => {
    if (mutes.delete(isMuted) && mutes.size === 0) process.emitWarning = emitWarning;
  };
}

/**
 * Maximum number of open files and connections for this process; infinite if unlimited, as on
 * Windows.
 */
export function getOpenFileLimit(): number {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  // With network data, the report resolves the names of remote hosts.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  report.excludeNetwork = excludeNetwork;
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}

/** Runs a function when the process exits, before functions that were added earlier. */
export function runAtExit(run: () => void): void {
  process.prependOnceListener('exit', run);
}
