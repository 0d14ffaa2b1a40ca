import { type Hint, SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { writeText } from '../../kernel/log-commands.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import { createMeasure, type Measure, truncateText } from '../../output/width.ts';
import {
  createListener,
  isSuccessStatus,
  type Listener,
  type ListenerEvent,
  type ReceivedDeliveryEvent,
} from '../../webhooks/listener.ts';
import { type ReceiverResponse, startReceiver } from '../../webhooks/receiver.ts';
import { openRecording } from '../../webhooks/recording.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { excerptOf, shortenEvent } from '../terminal/delivery-views.ts';
import { listenForKeys } from '../terminal/keys.ts';
import { canAsk, selectGlyphs, shouldUseColor } from '../terminal/terminal.ts';
import type { ListenFlags } from './flags.ts';
import { loadSigningSecret } from './keys.ts';
import {
  decideRegistration,
  type ListenOptions,
  type Registration,
  type RegistrationMode,
  readListenOptions,
  register,
} from './listen-options.ts';

/** Time limit on exit for deliveries in flight, in milliseconds. */
const CLOSE_TIMEOUT = 3_000;
const NOT_LISTENING: ReceiverResponse = { status: 503, text: 'not listening' };

export async function listenCommand(
  context: Context,
  invocation: Invocation<ListenFlags>,
): Promise<void> {
  if (invocation.options.printSecret) return printSecret(context);
  if (context.options.dryRun)
    throw new SvcError('usage', 'webhooks listen does not support --dry-run');
  const options = await readListenOptions(context, invocation);
  await listen(context, options, await decideRegistration(context, options));
}

async function printSecret(context: Context): Promise<void> {
  const [secret, format, printer] = [
    await loadSigningSecret(context),
    await context.format(),
    await context.printer(),
  ];
  await (format === 'table' || context.options.quiet
    ? printer.line(secret)
    : printer.value({ secret }, {}));
}

async function listen(
  context: Context,
  options: ListenOptions,
  need: RegistrationMode,
): Promise<void> {
  const { routes, defaultTarget } = options.forwarding;
  const output = await createDeliveryOutput(
    context,
    routes.length > 0 || defaultTarget !== undefined,
  );
  const counts: DeliveryCounts = { ...NO_DELIVERIES };
  const report = (event: ListenerEvent) => reportEvent(context, output, counts, event);
  const completion = createCompletion(context.signal);
  const forwardingAbort = new AbortController();
  const recording = options.folder === undefined ? undefined : await openRecording(options.folder);
  let listener: Listener | undefined;
  const receiver = await startReceiver({
    ...options,
    handle: async (arrival) =>
      listener && counts.accepted < options.maxDeliveries
        ? listener.handle(arrival)
        : NOT_LISTENING,
    onRejected: (reason) => report({ kind: 'rejected', reason }),
    onError: completion.fail,
  });
  let registration: Registration | undefined;
  let releaseKeys: (() => void) | undefined;
  try {
    registration = await register(context, options, { need, url: receiver.url });
    const emit = async (event: ListenerEvent) => {
      await report(event);
      if (counts.accepted >= options.maxDeliveries) completion.finish();
    };
    listener = createListener({
      ...options,
      ...registration,
      recording,
      emit,
      clock: context.clock,
      signal: forwardingAbort.signal,
    });
    await announceListener(context, options, receiver.url, registration?.notes ?? []);
    releaseKeys = await offerReplay(context, listener, completion.fail);
    await completion.reached;
  } finally {
    releaseKeys?.();
    await receiver.close(CLOSE_TIMEOUT);
    forwardingAbort.abort();
    await registration?.remove();
    if (listener) {
      await output.end();
      await context.note(formatCounts(counts));
    }
    await registration?.restore();
  }
}

/**
 * Replays the latest delivery when the user presses `r`.
 * @returns a function that restores the terminal
 */
async function offerReplay(
  context: Context,
  { replayLast }: Listener,
  onError: (error: unknown) => void,
) {
  if (!canAsk(context)) return undefined;
  let isReplaying = false;
  const replay = async () => {
    if (isReplaying) return;
    isReplaying = true;
    if (!(await replayLast())) await context.note('no delivery to replay yet');
    isReplaying = false;
  };
  const release = listenForKeys(context, (key) =>
    key === 'r' ? void replay().catch(onError) : undefined,
  );
  if (release) await context.note('press r to replay the latest delivery, Ctrl-C to stop');
  return release;
}

function createCompletion(signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Prevents an unhandled rejection before the promise is awaited.
  promise.catch(() => undefined);
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { reached: promise, finish: resolve, fail: (error: unknown) => reject(error) };
}

const NO_DELIVERIES = {
  accepted: 0,
  notForwarded: 0,
  repeated: 0,
  rejected: 0,
  filtered: 0,
  replayed: 0,
};
type DeliveryCounts = typeof NO_DELIVERIES;

async function announceListener(
  { note }: Context,
  options: ListenOptions,
  url: string,
  notes: readonly (string | Hint)[],
) {
  await note(`listening on ${url}`);
  if (options.folder !== undefined) await note(`recording to ${options.folder}`);
  if (options.skipVerify)
    await note('verification is off: deliveries from anyone who can reach this port are accepted');
  for (const text of notes) await note(text);
}

async function reportEvent(
  context: Context,
  output: DeliveryOutput,
  counts: DeliveryCounts,
  event: ListenerEvent,
) {
  switch (event.kind) {
    case 'received':
      if (event.payloadProblem !== undefined)
        await context.warn(`${event.delivery.id}: ${event.payloadProblem}`);
      await output.show(event.delivery);
      if (event.accepted) counts.accepted += 1;
      else counts.notForwarded += 1;
      return;
    case 'replayed':
      if (event.delivery.forwarded) counts.replayed += 1;
      return event.delivery.forwarded ? output.show(event.delivery) : context.note(NO_TARGET);
    case 'filtered':
      counts.filtered += 1;
      return;
    case 'duplicate':
      counts.repeated += 1;
      return context.note(`duplicate, not forwarded again: ${event.id}`);
    case 'rejected':
      counts.rejected += 1;
      return context.note(`rejected: ${event.reason}`);
  }
}

const NO_TARGET = 'the latest delivery has no target; to set one, add --forward-to or --route';

function formatCounts({
  accepted,
  notForwarded,
  repeated,
  rejected,
  filtered,
  replayed,
}: DeliveryCounts): string {
  return [
    `${formatNounCount(accepted, 'delivery')} accepted`,
    notForwarded > 0 && `${notForwarded} not accepted by the target`,
    repeated > 0 && formatNounCount(repeated, 'duplicate'),
    filtered > 0 && `${filtered} filtered out`,
    replayed > 0 && `${replayed} replayed`,
    rejected > 0 && `${rejected} rejected`,
  ]
    .filter(Boolean)
    .join(', ');
}

interface DeliveryOutput {
  show(delivery: ReceivedDeliveryEvent): Promise<void>;
  end(): Promise<void>;
}

/** @param isForwarding whether lines on a terminal include the response time of the target */
export async function createDeliveryOutput(
  context: Context,
  isForwarding: boolean,
): Promise<DeliveryOutput> {
  const [format, printer] = [await context.format(), await context.printer()];
  const end = async () => undefined;
  if (format === 'ndjson') return { show: (delivery) => printer.value(delivery, {}), end };
  if (format === 'table' && !context.options.fields) {
    const { io, options, environment } = context;
    const { columns = MIN_WIDTH, isTerminal } = io.stdout;
    const layout = !isTerminal ? 'file' : columns < MIN_WIDTH ? 'narrow' : 'wide';
    const palette = await loadPalette(shouldUseColor(options.color, io.stdout, environment));
    const showsLatency = isForwarding && io.stdout.isTerminal;
    return {
      show: async (delivery) => {
        const texts = [delivery.event, documentIdOf(delivery.payload), delivery.forwarded?.error];
        const measure = await createMeasure([texts.map((text) => escapeForTerminal(text ?? ''))]);
        const { ellipsis } = selectGlyphs(context);
        const shorten = (text: string, width: number) =>
          truncateText(text, width, measure, ellipsis);
        await writeText(
          io.stdout,
          formatLine(delivery, {
            showsLatency,
            layout,
            columns,
            measure,
            ellipsis,
            shorten,
            palette,
          }),
        );
      },
      end,
    };
  }
  const all: ReceivedDeliveryEvent[] = [];
  return { show: async (delivery) => void all.push(delivery), end: () => printer.value(all, {}) };
}

/** Number of columns from which the columns of deliveries are aligned on a terminal. */
const MIN_WIDTH = 96;

/** Widths of the time, event, form, and document. On a terminal, longer texts are shortened. */
const WIDTHS = { file: [20, 32, 8, 12], wide: [8, 26, 8, 12], narrow: [] } as const;

interface LineOptions {
  readonly showsLatency: boolean;
  readonly layout: keyof typeof WIDTHS;
  readonly columns: number;
  readonly measure: Measure;
  readonly ellipsis: string;
  readonly shorten: (text: string, width: number) => string;
  readonly palette: Palette;
}

function formatLine(
  delivery: ReceivedDeliveryEvent,
  { showsLatency, layout, columns, measure, ellipsis, shorten, palette }: LineOptions,
): string {
  const {
    receivedAt,
    replayedAt = receivedAt,
    event,
    form,
    verified,
    payload,
    forwarded,
  } = delivery;
  const isNarrow = layout === 'narrow';
  const [timeWidth = 0, eventWidth = 0, formWidth = 0, documentWidth = 0] = WIDTHS[layout];
  const toCell = (text: string, width: number) => {
    const escaped = escapeForTerminal(text);
    const shown = layout === 'wide' ? shorten(escaped, width) : escaped;
    return shown + ' '.repeat(Math.max(0, width - measure(shown)));
  };
  const cells = [
    (layout === 'file' ? replayedAt.replace(/\.\d+Z$/, 'Z') : replayedAt.slice(11, 19)).padEnd(
      timeWidth,
    ),
    toCell(
      layout === 'wide' ? shortenEvent(escapeForTerminal(event), eventWidth, ellipsis) : event,
      eventWidth,
    ),
    ...(isNarrow && verified ? [] : [(verified ? form : `${form}, unverified`).padEnd(formWidth)]),
    toCell(documentIdOf(payload), documentWidth),
    ...(showsLatency
      ? [(forwarded ? formatMilliseconds(forwarded.milliseconds) : '-').padStart(isNarrow ? 0 : 6)]
      : []),
  ];
  const colorize = forwarded && (isSuccessStatus(forwarded) ? palette.good : palette.bad);
  const separator = isNarrow ? ' ' : '  ';
  const start = cells.join(separator) + separator;
  const result = formatForwardResult(delivery);
  const outcome =
    layout === 'wide' ? shorten(result, Math.max(MIN_OUTCOME, columns - measure(start))) : result;
  return `${start}${colorize?.(outcome) ?? outcome}\n`;
}

const MIN_OUTCOME = 14;

function formatForwardResult({ forwarded, replayedAt }: ReceivedDeliveryEvent): string {
  if (!forwarded) return '-';
  const { status, error = 'no response', body = null } = forwarded;
  if (status === null) return escapeForTerminal(`failed: ${error}`);
  const result = `${replayedAt === undefined ? 'forwarded' : 'replayed'}: ${status}`;
  const excerpt = isSuccessStatus(forwarded) ? '' : excerptOf(body);
  return excerpt === '' ? result : `${result}  ${excerpt}`;
}

function documentIdOf(payload: unknown): string {
  const data = valueAt(payload, ['data']);
  const metadata = valueAt(isObject(data) ? data : payload, ['metadata']);
  const document = valueAt(metadata, ['document']);
  const documentId = valueAt(isObject(document) ? document : metadata, ['documentId']);
  return typeof documentId === 'string' ? documentId : '-';
}
