import { watch } from 'node:fs';
import { utimes } from 'node:fs/promises';

export interface ChangeSignals {
  /** Signals a committed change. Processes that miss the signal find the change by polling. */
  send(): Promise<void>;
  /**
   * Calls `listener` after the signals of other processes.
   * @returns a function that unsubscribes
   */
  subscribe(listener: () => void): () => void;
}

/**
 * Signals between the processes that have a SQLite file open: the time stamp of its WAL. The file
 * system reports it at once and costs nothing while idle. The WAL exists while the file is open and
 * has no locks, unlike the file itself, so it can be watched.
 * @param version returns a number that differs after another process has changed the file
 */
export function createChangeSignals(
  path: string,
  version: () => number | undefined,
): ChangeSignals {
  const wal = `${path}-wal`;
  return {
    send: async () => {
      const now = new Date();
      await utimes(wal, now, now).catch(() => undefined);
    },
    subscribe: (listener) => {
      let known = version();
      // Writes of this process are reported too.
      const onChange = () => {
        const current = version();
        if (current !== known) listener();
        known = current;
      };
      try {
        const watcher = watch(wal, { persistent: false }, onChange).on('error', () =>
          watcher.close(),
        );
        return () => watcher.close();
      } catch {
        // Some file systems have no watches, and their number is limited.
        return () => undefined;
      }
    },
  };
}
