import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import { localFileError, readTextIfExists } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { parseRecord, type RecoveryRecord } from './record.ts';

/** What a reset left. A file that is damaged is named, so that nobody takes it for nothing. */
export interface PendingRecovery {
  readonly path: string;
  readonly record: RecoveryRecord | undefined;
}

/** Every record that is there, the oldest first. Those of resets under way are among them. */
export async function pendingRecoveries({ state }: Folders): Promise<readonly PendingRecovery[]> {
  const folder = join(state, 'recovery');
  const found: PendingRecovery[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const text = name.endsWith('.json') ? await readTextIfExists(path) : undefined;
    if (text !== undefined) found.push({ path, record: parseRecord(text) });
  }
  return found.sort((a, b) => (a.record?.startedAt ?? '').localeCompare(b.record?.startedAt ?? '', 'en'));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw localFileError('read', folder, error);
  }
}
