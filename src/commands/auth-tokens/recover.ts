import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { listPendingRecoveries, type PendingRecovery } from '../../profiles/recovery/pending.ts';
import { removeRecord } from '../../profiles/recovery/recovery.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { RecoverFlags } from './flags.ts';
import { currentService } from './known-token.ts';
import { describeRecovery, isInProgress, type RecoveryEntry, recoveryIdOf } from './recovery-entry.ts';
import { openProfile } from './to-profile.ts';

const COLUMNS = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'API KEY', field: 'apiKey', kind: 'whole' },
  { header: 'SERVICE', field: 'service' },
  { header: 'STATE', field: 'state' },
  { header: 'TOKEN', field: 'token', kind: 'whole' },
  { header: 'STARTED', field: 'startedAt', kind: 'time' },
] as const;

export async function authRecover(context: Context, { options }: Invocation<RecoverFlags>): Promise<void> {
  const pending = await listPendingRecoveries(context.folders);
  const { save, remove, check = true } = options;
  if (remove !== undefined && save) throw new SvcError('usage', '--save and --remove cannot be combined');
  if (remove !== undefined) return removeRecovery(context, pending, remove);
  if (save) return saveRecoveredToken(context, pending);
  await list(context, pending, check);
}

async function list(context: Context, pending: readonly PendingRecovery[], check: boolean): Promise<void> {
  const printer = await context.printer();
  const lines: RecoveryEntry[] = [];
  for (const recovery of pending) lines.push(await describeRecovery(context, recovery, check));
  await printer.value(
    lines.map((line) => ({ ...line, next: line.next.format() })),
    { columns: COLUMNS, secrets: [['*', 'token']] },
  );
  if (lines.length === 0) await context.note('no unfinished token resets');
  for (const { id, next } of lines) await context.note(hint`${id}: ${next}`);
}

async function removeRecovery(context: Context, pending: readonly PendingRecovery[], id: string): Promise<void> {
  const found = pending.find(({ path }) => recoveryIdOf(path) === id);
  if (!found) {
    const ids = pending.map(({ path }) => recoveryIdOf(path));
    throw new SvcError('not_found', `no recovery record with ID ${id}`, {
      hint: ids.length > 0 ? didYouMean(id, ids) : 'there are no recovery records',
    });
  }
  const { path, record } = found;
  if (record && isInProgress(record)) {
    const hint = 'wait until the reset has finished';
    throw new SvcError('locked', `process ${record.pid} is still running the reset`, { hint });
  }
  if (record?.state === 'kept') {
    const question = `Delete the record with the auth token of API key ${record.apiKey}? It may be the only copy.`;
    await context.confirm(question, 'this machine');
  }
  await removeRecord(path);
  await context.note(`removed ${path}`);
}

async function saveRecoveredToken(context: Context, pending: readonly PendingRecovery[]): Promise<void> {
  const [place, { apiKey }] = [await currentService(context), await context.openSettings()];
  const kept = pending.filter(({ record }) => record?.state === 'kept' && record.place === place);
  const matching = kept.filter(({ record }) => !apiKey || record?.apiKey === apiKey.value);
  const token = matching.at(-1)?.record;
  if (!token?.token) {
    const owner = `${apiKey?.value ?? 'an API key'} of ${place || 'this profile'}`;
    throw new SvcError('not_found', `no saved token found for ${owner}`, {
      hint: hint`${step('list', 'auth', 'recover')} lists the saved tokens; use --profile to choose another profile`,
    });
  }
  const profile = await openProfile(context, token.apiKey);
  await profile.deliver(token.token);
  const saved = matching.filter(({ record }) => record?.apiKey === token.apiKey);
  for (const { path } of saved) await removeRecord(path);
  await context.note(
    `saved the auth token of API key ${token.apiKey} in ${profile.name}; removed ${formatNounCount(saved.length, 'record')}`,
  );
}
