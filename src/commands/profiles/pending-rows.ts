import { pendingRecoveries } from '../../profiles/recovery/pending.ts';
import type { Context } from '../context.ts';

/** What broken resets left, as rows of `auth status`; it asks the service nothing. */
export async function pendingRows({ folders }: Context) {
  const pending = await pendingRecoveries(folders);
  return pending.map(({ path, record }) => ({
    setting: 'recovery',
    value: record ? `reset of API key ${record.apiKey}: ${record.state} (svc auth recover)` : 'damaged',
    source: path,
  }));
}
