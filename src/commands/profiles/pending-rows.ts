import { listPendingRecoveries } from '../../profiles/recovery/pending.ts';
import type { RecoveryRecord } from '../../profiles/recovery/record.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';

const unfinishedChanges = (apiKey: string) => `token reset of API key ${apiKey} is unfinished`;

const STATE_LABELS = {
  sending: unfinishedChanges,
  unknown: unfinishedChanges,
  lost: (apiKey) => `the auth token of API key ${apiKey} is lost`,
  kept: (apiKey) => `the new auth token of API key ${apiKey} is kept`,
} as const satisfies Record<RecoveryRecord['state'], (apiKey: string) => string>;

/** Creates rows of `auth status` for unfinished token resets, without calling the service. */
export async function createPendingRows({ folders, options }: Context) {
  const pending = await listPendingRecoveries(folders);
  return pending.map(({ path, record }) => ({
    setting: 'recovery',
    value: `${record ? STATE_LABELS[record.state](record.apiKey) : 'damaged recovery record'} (${commandForService(options, 'auth', 'recover')})`,
    source: path,
  }));
}
