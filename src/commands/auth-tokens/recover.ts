import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { amount } from '../../kernel/plural.ts';
import { type PendingRecovery, pendingRecoveries } from '../../profiles/recovery/pending.ts';
import { removeRecord } from '../../profiles/recovery/recovery.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';
import { idOf, isUnderWay, type RecoverLine, recoverLine } from './recover-line.ts';
import { placeOf } from './subject.ts';
import { openProfile } from './to-profile.ts';

const COLUMNS = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'API KEY', field: 'apiKey', kind: 'whole' },
  { header: 'SERVICE', field: 'service' },
  { header: 'STATE', field: 'state' },
  { header: 'TOKEN', field: 'token', kind: 'whole' },
  { header: 'STARTED', field: 'startedAt', kind: 'time' },
] as const;

export async function authRecover(context: Context, { options }: Invocation): Promise<void> {
  const pending = await pendingRecoveries(context.folders);
  const remove = textValue(options, 'remove');
  if (remove !== undefined && options['save'] === true) {
    throw new SvcError('usage', '--save and --remove exclude each other');
  }
  if (remove !== undefined) return removeOne(context, pending, remove);
  if (options['save'] === true) return saveKept(context, pending);
  await list(context, pending, options['check'] !== false);
}

async function list(context: Context, pending: readonly PendingRecovery[], check: boolean): Promise<void> {
  const printer = await context.printer();
  const lines: RecoverLine[] = [];
  for (const recovery of pending) lines.push(await recoverLine(context, recovery, check));
  await printer.value(lines, { columns: COLUMNS, secrets: [['*', 'token']] });
  if (lines.length === 0) await context.note('no reset was left unfinished');
  for (const { id, next } of lines) await context.note(`${id}: ${next}`);
}

async function removeOne(context: Context, pending: readonly PendingRecovery[], id: string): Promise<void> {
  const found = pending.find(({ path }) => idOf(path) === id);
  if (!found) {
    const ids = pending.map(({ path }) => idOf(path));
    throw new SvcError('not_found', `no reset left a record ${id}`, {
      hint: ids.length > 0 ? didYouMean(id, ids) : 'none is left',
    });
  }
  const { path, record } = found;
  if (record && isUnderWay(record)) {
    throw new SvcError('locked', `process ${record.pid} is still at it`, { hint: 'wait for its end' });
  }
  if (record?.state === 'kept') {
    await context.confirm(
      `Remove the record with the auth token of API key ${record.apiKey}? It may be nowhere else.`,
      'this machine',
    );
  }
  await removeRecord(path);
  await context.note(`removed ${path}`);
}

/** Puts the youngest token that was kept for the profile's API key and service into the profile. */
async function saveKept(context: Context, pending: readonly PendingRecovery[]): Promise<void> {
  const [place, { apiKey }] = [await placeOf(context), await context.openSettings()];
  const kept = pending.filter(({ record }) => record?.state === 'kept' && record.place === place);
  const mine = kept.filter(({ record }) => !apiKey || record?.apiKey === apiKey.value);
  const token = mine.at(-1)?.record;
  if (!token?.token) {
    throw new SvcError(
      'not_found',
      `no token is kept for ${apiKey?.value ?? 'an API key'} of ${place || 'this profile'}`,
      { hint: hint`${step('list', 'auth', 'recover')} lists what is kept; --profile names another profile` },
    );
  }
  const profile = await openProfile(context, token.apiKey);
  await profile.deliver(token.token);
  const saved = mine.filter(({ record }) => record?.apiKey === token.apiKey);
  for (const { path } of saved) await removeRecord(path);
  await context.note(
    `${profile.name} has the auth token of API key ${token.apiKey}; removed ${amount(saved.length, 'record')}`,
  );
}
