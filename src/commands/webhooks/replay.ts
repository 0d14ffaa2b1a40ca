import { join } from 'node:path';
import type { Column } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { parseSince } from '../../kernel/moment.ts';
import { amount } from '../../kernel/plural.ts';
import { readSecretFile } from '../../profiles/secret-input.ts';
import { SIGNATURE_HEADERS } from '../../webhooks/form.ts';
import { headersByName, headerValues, passedOn, without } from '../../webhooks/headers.ts';
import { isSuccess } from '../../webhooks/listener.ts';
import { type Outgoing, post } from '../../webhooks/post.ts';
import { type RecordedDelivery, recordedDeliveries } from '../../webhooks/recording.ts';
import { type Route, targetOf } from '../../webhooks/routes.ts';
import { signatureHeaders, TOLERANCE } from '../../webhooks/signature.ts';
import { saidWhile } from '../call/awaited.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { postOptions, targets } from '../deliveries/target.ts';
import { hintedCommand } from '../hinted-command.ts';
import { textValue } from '../option-values.ts';
import { readSigningSecret } from './keys.ts';
import { printPlan } from './plan.ts';
import { recordFolder } from './record-folder.ts';

interface Replay {
  readonly folder: string;
  readonly ids: readonly string[] | undefined;
  readonly since: number | undefined;
  readonly routes: readonly Route[];
  readonly otherwise: URL | undefined;
  /** Renews the timestamp and the signature. */
  readonly secret: string | undefined;
  /** What basic deliveries get again: it was not recorded. */
  readonly authToken: string | undefined;
}

export async function replayCommand(context: Context, { arguments: ids, options }: Invocation): Promise<void> {
  const since = textValue(options, 'since');
  const tokenFile = textValue(options, 'authTokenFile');
  const replay: Replay = {
    folder: recordFolder(context, textValue(options, 'record')),
    ids: ids.length > 0 ? ids : undefined,
    since: since === undefined ? undefined : sinceOf(since, context.clock.now()),
    ...targets(options),
    secret: await resignSecret(options, context.signal),
    authToken: tokenFile === undefined ? undefined : await readSecretFile(tokenFile, context.signal),
  };
  if (options['list'] === true) return listRecorded(context, replay);
  if (!replay.ids && replay.since === undefined) {
    throw new SvcError('usage', 'which deliveries? Name their ids, or give --since', {
      hint: hint`${step('inspect', 'webhooks', 'replay', '--list')} shows what was recorded`,
    });
  }
  if (!replay.otherwise && replay.routes.length === 0) {
    throw new SvcError('usage', 'where to? Give --forward-to or --route', {
      hint: hint`${step('inspect', 'webhooks', 'replay', '--since', '2h', '--forward-to', 'http://127.0.0.1:3000/hook')}`,
    });
  }
  await replayAll(context, replay);
}

async function resignSecret(options: Invocation['options'], signal: AbortSignal): Promise<string | undefined> {
  const file = textValue(options, 'secretFile');
  if ((options['resign'] === true) !== (file !== undefined)) {
    throw new SvcError('usage', '--resign and --secret-file go together: the secret signs the deliveries anew');
  }
  return file === undefined ? undefined : readSigningSecret(file, signal);
}

/** `2h` is two hours ago. */
function sinceOf(text: string, now: number): number {
  const since = parseSince(text, now);
  if (since !== undefined) return since;
  throw new SvcError('usage', `--since: '${text}' is not a time`, { hint: 'write it like 2h or 2026-03-01T12:00:00Z' });
}

const RECORDED: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event' },
  { header: 'FORM', field: 'form' },
  { header: 'RECEIVED', field: 'receivedAt', kind: 'time' },
];

async function listRecorded(context: Context, replay: Replay): Promise<void> {
  const printer = await context.printer();
  const count = { found: 0 };
  await printer.records(listed(context, replay, count), { columns: RECORDED });
  if (count.found === 0) {
    await context.note(
      `nothing is recorded in ${replay.folder}; ${hintedCommand(context.options, 'webhooks', 'listen')} records what comes in`,
    );
  }
}

async function* listed(context: Context, replay: Replay, count: { found: number }) {
  for await (const { id, event, form, verified, receivedAt } of recorded(context, replay)) {
    count.found += 1;
    yield [{ id, event, form, verified, receivedAt }];
  }
}

function recorded(context: Context, { folder, ids, since }: Replay): AsyncGenerator<RecordedDelivery> {
  const wanted = { ...(ids && { ids }), ...(since !== undefined && { since }) };
  return recordedDeliveries(folder, wanted, (name) => context.warn(`${join(folder, name)} is no recorded delivery`));
}

const REPLAYED: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event' },
  { header: 'RECEIVED', field: 'receivedAt', kind: 'time' },
  { header: 'TARGET', field: 'url' },
  { header: 'STATUS', field: 'status' },
  { header: 'ERROR', field: 'error' },
];

async function replayAll(context: Context, replay: Replay): Promise<void> {
  await requireRecorded(context, replay);
  const count = { sent: 0, failed: 0, skipped: 0, old: 0 };
  const outcomes = replayed(context, replay, count);
  if (context.options.dryRun) {
    for await (const _ of outcomes);
    return;
  }
  const printer = await context.printer();
  await printer.records(outcomes, { columns: REPLAYED });
  if (count.skipped > 0) await context.note(`${amount(count.skipped, 'delivery')} fit no --route`);
  if (count.old > 0) {
    const minutes = TOLERANCE / 60;
    await context.note(
      `${amount(count.old, 'delivery')} went with a signature older than ${minutes} minutes, which a receiver that verifies refuses: --resign --secret-file renews it`,
    );
  }
  if (count.failed === 0) return;
  throw new SvcError('some_failed', `not taken: ${count.failed} of ${amount(count.sent, 'delivery')}`);
}

/** Ids that were named are there, or nothing is sent. */
async function requireRecorded(context: Context, replay: Replay): Promise<void> {
  if (!replay.ids) return;
  const found = new Set<string>();
  for await (const { id } of recorded(context, replay)) found.add(id);
  const missing = replay.ids.filter((id) => !found.has(id));
  if (missing.length === 0) return;
  throw new SvcError('not_found', `not recorded in ${replay.folder}: ${missing.join(', ')}`, {
    hint: hint`${step('inspect', 'webhooks', 'replay', '--list')} shows what was recorded`,
  });
}

interface Count {
  sent: number;
  failed: number;
  skipped: number;
  old: number;
}

async function* replayed(context: Context, replay: Replay, count: Count) {
  const { options, signal, clock } = context;
  const how = await postOptions(context);
  for await (const delivery of recorded(context, replay)) {
    signal.throwIfAborted();
    const url = targetOf(delivery.event, replay.routes, replay.otherwise);
    if (!url) {
      count.skipped += 1;
      continue;
    }
    const outgoing = outgoingOf(delivery, url, replay, clock.now());
    if (isOld(outgoing, clock.now())) count.old += 1;
    if (options.dryRun) {
      await printPlan(context, outgoing, [replay.authToken ?? '']);
      continue;
    }
    const receipt = await saidWhile(context, `webhooks replay: waiting for ${url.host}`, () => post(outgoing, how));
    count.sent += 1;
    if (!isSuccess(receipt)) count.failed += 1;
    const { id, event, receivedAt } = delivery;
    const error = receipt.status === null ? receipt.error : null;
    yield [{ id, event, receivedAt, url: url.href, status: receipt.status, error }];
  }
}

/** The delivery as it was sent, but for what is renewed. */
function outgoingOf({ id, form, headers, body }: RecordedDelivery, url: URL, replay: Replay, now: number): Outgoing {
  const original = passedOn(headers);
  if (form === 'basic') {
    const { authToken } = replay;
    return { url, body, headers: authToken ? [...original, ['authorization', `Basic ${authToken}`]] : original };
  }
  if (replay.secret === undefined) return { url, body, headers: original };
  const signed = signatureHeaders(replay.secret, { id, timestamp: Math.floor(now / 1000), body });
  return { url, body, headers: [...without(original, Object.keys(signed)), ...Object.entries(signed)] };
}

function isOld({ headers }: Outgoing, now: number): boolean {
  const [timestamp] = headerValues(headersByName(headers), SIGNATURE_HEADERS.timestamp);
  return timestamp !== undefined && now / 1000 - Number(timestamp) > TOLERANCE;
}
