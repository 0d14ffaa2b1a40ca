import { pendingRecoveries } from '../../profiles/recovery/pending.ts';
import type { RecoveryRecord } from '../../profiles/recovery/record.ts';
import type { Context } from '../context.ts';
import { hintedCommand } from '../hinted-command.ts';

const unfinished = (apiKey: string) => `the reset of API key ${apiKey} is unfinished`;

const STANDING = {
  sending: unfinished,
  unknown: unfinished,
  lost: (apiKey) => `the auth token of API key ${apiKey} is lost`,
  kept: (apiKey) => `the new auth token of API key ${apiKey} is kept`,
} as const satisfies Record<RecoveryRecord['state'], (apiKey: string) => string>;

/** What broken resets left, as rows of `auth status`; it asks the service nothing. */
export async function pendingRows({ folders, options }: Context) {
  const pending = await pendingRecoveries(folders);
  return pending.map(({ path, record }) => ({
    setting: 'recovery',
    value: `${record ? STANDING[record.state](record.apiKey) : 'a record is damaged'} (${hintedCommand(options, 'auth', 'recover')})`,
    source: path,
  }));
}
