import { join } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { readSecretFromFile } from '../../profiles/secret-input.ts';
import { SIGNATURE_HEADERS } from '../../webhooks/form.ts';
import {
  groupHeaders,
  headerValuesOf,
  selectForwardedHeaders,
  withoutHeaders,
} from '../../webhooks/headers.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { type OutgoingRequest, sendPost } from '../../webhooks/post.ts';
import { type RecordedDelivery, readRecordedDeliveries } from '../../webhooks/recording.ts';
import { findTarget } from '../../webhooks/routes.ts';
import { createSignatureHeaders, TIMESTAMP_TOLERANCE } from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { parseSinceFlag } from '../options.ts';
import { withSpinner } from '../terminal/spinner.ts';
import { RECORDED_COLUMNS, REPLAYED_COLUMNS } from './columns.ts';
import { type ReplayFlags, recordFolder } from './flags.ts';
import { readSigningSecret } from './keys.ts';
import { createPostOptions, parseTargets, printPlannedRequest } from './targets.ts';

const LIST_HINT = hint`to list the recorded deliveries, run ${step('inspect', 'webhooks', 'replay', '--list')}`;
type ReplayOptions = Awaited<ReturnType<typeof readReplayOptions>>;

async function readReplayOptions(
  context: Context,
  { arguments: ids, options }: Invocation<ReplayFlags>,
) {
  const { record, since, authTokenFile, resign = false, secretFile } = options;
  if (resign !== (secretFile !== undefined))
    throw new SvcError('usage', '--resign and --secret-file must be used together');
  return {
    folder: recordFolder(context, record),
    ids: ids.length > 0 ? ids : undefined,
    since: parseSinceFlag(since, context.clock.now()),
    ...parseTargets(options),
    secret:
      secretFile === undefined ? undefined : await readSigningSecret(secretFile, context.signal),
    authToken:
      authTokenFile === undefined
        ? undefined
        : await readSecretFromFile(authTokenFile, context.signal),
  };
}

export async function replayCommand(
  context: Context,
  invocation: Invocation<ReplayFlags>,
): Promise<void> {
  const replay = await readReplayOptions(context, invocation);
  if (invocation.options.list) return listRecorded(context, replay);
  const { sort, limit, all } = context.options.list ?? {};
  if (sort || limit !== undefined || all)
    throw new SvcError('usage', '--sort, --limit, and --all require --list');
  if (!replay.ids && replay.since === undefined)
    throw new SvcError('usage', 'delivery IDs or --since is required', { hint: LIST_HINT });
  if (!replay.defaultTarget && replay.routes.length === 0) {
    throw new SvcError('usage', '--forward-to or --route is required', {
      hint: hint`${step('inspect', 'webhooks', 'replay', '--since', '2h', '--forward-to', 'http://127.0.0.1:3000/hook')}`,
    });
  }
  await replayAll(context, replay);
}

async function listRecorded(context: Context, replay: ReplayOptions): Promise<void> {
  const deliveries = selectDeliveries(context, replay);
  const found = await Array.fromAsync(deliveries, ({ path, headers, body, ...head }) => head);
  await (await context.printer()).value(found, { columns: RECORDED_COLUMNS });
  if (found.length > 0) return;
  await context.note(
    hint`no recorded deliveries in ${replay.folder}; to record deliveries, run ${step('change', 'webhooks', 'listen')}`,
  );
}

function selectDeliveries(
  context: Context,
  replay: ReplayOptions,
): AsyncGenerator<RecordedDelivery> {
  const warn = (name: string) =>
    context.warn(`${join(replay.folder, name)} is not a recorded delivery`);
  return readRecordedDeliveries(replay.folder, replay, warn);
}

async function replayAll(context: Context, replay: ReplayOptions): Promise<void> {
  await requireRecorded(context, replay);
  const count = { sent: 0, failed: 0, skipped: 0, old: 0 };
  const outcomes = sendRecorded(context, replay, count);
  if (context.options.dryRun) {
    for await (const _ of outcomes);
    return;
  }
  const printer = await context.printer();
  await printer.records(outcomes, { columns: REPLAYED_COLUMNS });
  if (count.skipped > 0)
    await context.note(
      `${formatNounCount(count.skipped, 'delivery')} skipped: no matching --route`,
    );
  if (count.old > 0) {
    const age = `a timestamp older than ${TIMESTAMP_TOLERANCE / 60} minutes`;
    const advice = 'receivers reject such deliveries unless you add --resign and --secret-file';
    await context.note(`${formatNounCount(count.old, 'delivery')} sent with ${age}; ${advice}`);
  }
  if (count.failed === 0) return;
  throw new SvcError(
    'records_failed',
    `${count.failed} of ${formatNounCount(count.sent, 'delivery')} failed`,
  );
}

/** @throws SvcError `not_found` before the first request if a given ID is not recorded */
async function requireRecorded(context: Context, replay: ReplayOptions): Promise<void> {
  if (!replay.ids) return;
  const found = new Set(await Array.fromAsync(selectDeliveries(context, replay), ({ id }) => id));
  const missing = replay.ids.filter((id) => !found.has(id));
  if (missing.length === 0) return;
  throw new SvcError('not_found', `not recorded in ${replay.folder}: ${missing.join(', ')}`, {
    hint: LIST_HINT,
  });
}

type ReplayCounts = Record<'sent' | 'failed' | 'skipped' | 'old', number>;

async function* sendRecorded(context: Context, replay: ReplayOptions, count: ReplayCounts) {
  const { options, signal, clock } = context;
  const postOptions = await createPostOptions(context);
  for await (const delivery of selectDeliveries(context, replay)) {
    signal.throwIfAborted();
    const url = findTarget(delivery.event, replay.routes, replay.defaultTarget);
    if (!url) {
      count.skipped += 1;
      continue;
    }
    const outgoing = createOutgoing(delivery, url, replay, clock.now());
    if (isSignatureExpired(outgoing, clock.now())) count.old += 1;
    if (options.dryRun) {
      await printPlannedRequest(context, outgoing, replay.authToken);
      continue;
    }
    const receipt = await withSpinner(context, `webhooks replay: waiting for ${url.host}`, () =>
      sendPost(outgoing, postOptions),
    );
    count.sent += 1;
    if (!isSuccessStatus(receipt)) count.failed += 1;
    const { id, event, receivedAt } = delivery;
    const error = receipt.status === null ? receipt.error : null;
    yield [{ id, event, receivedAt, url: url.href, status: receipt.status, error }];
  }
}

function createOutgoing(
  delivery: RecordedDelivery,
  url: URL,
  replay: ReplayOptions,
  now: number,
): OutgoingRequest {
  const { id, form, headers, body } = delivery;
  const { secret, authToken } = replay;
  const original = selectForwardedHeaders(headers);
  if (form === 'basic')
    return {
      url,
      body,
      headers: authToken ? [...original, ['authorization', `Basic ${authToken}`]] : original,
    };
  if (secret === undefined) return { url, body, headers: original };
  const signed = createSignatureHeaders(secret, { id, timestamp: Math.floor(now / 1000), body });
  return {
    url,
    body,
    headers: [...withoutHeaders(original, Object.keys(signed)), ...Object.entries(signed)],
  };
}

function isSignatureExpired({ headers }: OutgoingRequest, now: number): boolean {
  const [timestamp] = headerValuesOf(groupHeaders(headers), SIGNATURE_HEADERS.timestamp);
  return timestamp !== undefined && now / 1000 - Number(timestamp) > TIMESTAMP_TOLERANCE;
}
