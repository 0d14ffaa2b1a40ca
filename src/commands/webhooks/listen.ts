import { SvcError } from '../../kernel/errors.ts';
import { startSmall } from '../../kernel/heap.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { createListener, type ListenerEvent } from '../../webhooks/listener.ts';
import { type Arrival, type Reply, startReceiver } from '../../webhooks/receiver.ts';
import { openRecording } from '../../webhooks/recording.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type ListenOptions, listenOptions } from './listen-flags.ts';
import { deliveryOutput } from './listen-output.ts';
import { greet, summary, type Tally, tell } from './listen-talk.ts';
import type { Registration } from './registration.ts';

/** Milliseconds that deliveries under way get at the end. */
const PATIENCE = 3_000;
const NOT_NOW: Reply = { status: 503, text: 'not listening' };

export async function listenCommand(context: Context, invocation: Invocation): Promise<void> {
  if (context.options.dryRun) {
    throw new SvcError('usage', '--dry-run has nothing to show: what is forwarded depends on what comes');
  }
  const options = await listenOptions(context, invocation);
  const registers = await registersItself(context, options);
  await listen(context, options, registers);
}

/** With nothing to verify by, the service is asked to deliver here and for the secret: one on this machine, or by a tunnel. */
async function registersItself(context: Context, { proofs, skipVerify, publicUrl }: ListenOptions): Promise<boolean> {
  if (proofs.secrets.length > 0 || proofs.authToken !== undefined || skipVerify) return false;
  if (context.options.local || publicUrl) return true;
  const { baseUrl } = await context.openSettings();
  const service = baseUrl && URL.parse(baseUrl.value);
  if (service && isLoopback(service)) return true;
  throw new SvcError('usage', 'there is nothing to verify deliveries with', {
    hint: 'add --secret-file or --auth-token-file; or --local, for deliveries of the embedded service',
  });
}

/** A run, until enough has come, a signal says so, or it fails. */
async function listen(context: Context, options: ListenOptions, registers: boolean): Promise<void> {
  const waiting = startSmall();
  const output = await deliveryOutput(context);
  const tally: Tally = { taken: 0, notForwarded: 0, repeated: 0, refused: 0 };
  const heard = (event: ListenerEvent) => tell(context, output, tally, event);
  const ending = endingOf(context.signal);
  const cut = new AbortController();
  const recording = options.folder === undefined ? undefined : await openRecording(options.folder);
  let take: ((arrival: Arrival) => Promise<Reply>) | undefined;
  const receiver = await startReceiver({
    ...options,
    answer: async (arrival) => {
      waiting.work();
      return take && tally.taken < options.most ? take(arrival) : NOT_NOW;
    },
    refused: (reason) => heard({ kind: 'refused', reason }),
    failed: ending.fail,
  });
  let registration: Registration | undefined;
  try {
    registration = registers ? await registered(context, options, receiver.url) : undefined;
    const proofs = registration ? { secrets: [registration.secret] } : options.proofs;
    const emit = async (event: ListenerEvent) => {
      await heard(event);
      if (tally.taken >= options.most) ending.finish();
    };
    take = createListener({ ...options, proofs, recording, emit, clock: context.clock, signal: cut.signal });
    await greet(context, options, receiver.url, registration?.notes);
    waiting.ready();
    await ending.reached;
  } finally {
    await receiver.close(PATIENCE);
    cut.abort();
    await registration?.end();
    if (take) {
      await output.end();
      await context.note(summary(tally));
    }
  }
}

async function registered(context: Context, { publicUrl }: ListenOptions, url: string): Promise<Registration> {
  const { register } = await import('./registration.ts');
  return register(context, publicUrl?.href ?? url);
}

/** The end of a run: reached when enough has come, failed by a signal or an error. */
function endingOf(signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // It may fail before anyone waits for it.
  promise.catch(() => undefined);
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { reached: promise, finish: resolve, fail: (error: unknown) => reject(error) };
}
