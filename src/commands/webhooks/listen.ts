import { SvcError } from '../../kernel/errors.ts';
import { startWithSmallHeap } from '../../kernel/heap.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { createListener, type ListenerEvent } from '../../webhooks/listener.ts';
import { type ReceivedRequest, type ReceiverResponse, startReceiver } from '../../webhooks/receiver.ts';
import { openRecording } from '../../webhooks/recording.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { ListenFlags } from './flags.ts';
import { announceListener, type DeliveryCounts, formatCounts, reportEvent } from './listen-messages.ts';
import { type ListenOptions, readListenOptions } from './listen-options.ts';
import { createDeliveryOutput } from './listen-output.ts';
import type { TemporaryEndpoint } from './temporary-endpoint.ts';

/** Milliseconds that deliveries in flight get to finish at the end. */
const CLOSE_TIMEOUT = 3_000;
const NOT_LISTENING: ReceiverResponse = { status: 503, text: 'not listening' };

export async function listenCommand(context: Context, invocation: Invocation<ListenFlags>): Promise<void> {
  if (context.options.dryRun) {
    throw new SvcError('usage', 'webhooks listen does not support --dry-run');
  }
  const options = await readListenOptions(context, invocation);
  const registers = await shouldRegister(context, options);
  await listen(context, options, registers);
}

/** Without a secret or token, a temporary endpoint is registered with a service that can reach this process. */
async function shouldRegister(context: Context, { proofs, skipVerify, publicUrl }: ListenOptions): Promise<boolean> {
  if (proofs.secrets.length > 0 || proofs.authToken !== undefined || skipVerify) return false;
  if (context.options.local || publicUrl) return true;
  const { baseUrl } = await context.openSettings();
  const service = baseUrl && URL.parse(baseUrl.value);
  if (service && isLoopback(service)) return true;
  throw new SvcError('usage', 'a secret or token is required to verify deliveries', {
    hint: 'add --secret-file or --auth-token-file, or use --local for deliveries from the embedded service',
  });
}

/** Listens until enough deliveries were accepted, a signal arrives, or an error occurs. */
async function listen(context: Context, options: ListenOptions, registersEndpoint: boolean): Promise<void> {
  const heap = startWithSmallHeap();
  const output = await createDeliveryOutput(context);
  const counts: DeliveryCounts = { accepted: 0, notForwarded: 0, repeated: 0, rejected: 0 };
  const report = (event: ListenerEvent) => reportEvent(context, output, counts, event);
  const completion = createCompletion(context.signal);
  const forwardingAbort = new AbortController();
  const recording = options.folder === undefined ? undefined : await openRecording(options.folder);
  let handle: ((arrival: ReceivedRequest) => Promise<ReceiverResponse>) | undefined;
  const receiver = await startReceiver({
    ...options,
    handle: async (arrival) => {
      heap.resumeOptimizing();
      return handle && counts.accepted < options.maxDeliveries ? handle(arrival) : NOT_LISTENING;
    },
    onRejected: (reason) => report({ kind: 'rejected', reason }),
    onError: completion.fail,
  });
  let registration: TemporaryEndpoint | undefined;
  try {
    registration = registersEndpoint ? await registerEndpoint(context, options, receiver.url) : undefined;
    const proofs = registration ? { secrets: [registration.secret] } : options.proofs;
    const emit = async (event: ListenerEvent) => {
      await report(event);
      if (counts.accepted >= options.maxDeliveries) completion.finish();
    };
    handle = createListener({
      ...options,
      proofs,
      recording,
      emit,
      clock: context.clock,
      signal: forwardingAbort.signal,
    });
    await announceListener(context, options, receiver.url, registration?.notes);
    heap.trim();
    await completion.reached;
  } finally {
    await receiver.close(CLOSE_TIMEOUT);
    forwardingAbort.abort();
    await registration?.remove();
    if (handle) {
      await output.end();
      await context.note(formatCounts(counts));
    }
  }
}

async function registerEndpoint(
  context: Context,
  { publicUrl }: ListenOptions,
  url: string,
): Promise<TemporaryEndpoint> {
  const { createTemporaryEndpoint: register } = await import('./temporary-endpoint.ts');
  return register(context, publicUrl?.href ?? url);
}

/** Creates a promise that resolves when enough deliveries were accepted, and rejects on a signal or an error. */
function createCompletion(signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The promise may reject before it is awaited.
  promise.catch(() => undefined);
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { reached: promise, finish: resolve, fail: (error: unknown) => reject(error) };
}
