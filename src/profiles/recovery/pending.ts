import { join } from 'node:path';
import { listFolder, readTextIfExists } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { parseRecord, type RecoveryRecord } from './record.ts';

export interface PendingRecovery {
  readonly path: string;
  readonly record: RecoveryRecord | undefined;
}

export async function listPendingRecoveries({ state }: Folders): Promise<readonly PendingRecovery[]> {
  const folder = join(state, 'recovery');
  const recoveries: PendingRecovery[] = [];
  for (const name of await listFolder(folder)) {
    const path = join(folder, name);
    const text = name.endsWith('.json') ? await readTextIfExists(path) : undefined;
    if (text !== undefined) recoveries.push({ path, record: parseRecord(text) });
  }
  return recoveries.sort((a, b) => (a.record?.startedAt ?? '').localeCompare(b.record?.startedAt ?? '', 'en'));
}
