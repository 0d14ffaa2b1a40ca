import type { RecordInput } from '../../bulk/input.ts';
import type { Limiter } from '../../bulk/limiter/limiter.ts';
import type { Tally } from '../../bulk/tally.ts';
import { SvcError } from '../../kernel/errors.ts';
import { amount, plural } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';

/** Shows how far the first reading of an input is, until what is returned is called. */
export async function showChecking(context: Context, input: RecordInput): Promise<() => Promise<void>> {
  const progress = await context.progress();
  return progress.follow(() => ({
    ...{ phase: 'checking', unit: 'bytes' },
    ...{ done: input.reading.bytes, total: input.reading.of },
  }));
}

/** What is sent: a job's counts, the requests under way, and how many records there are. */
export interface Sent {
  readonly tally: Tally;
  readonly limiter: Limiter;
  readonly records: number;
  /** One record: `user`. */
  readonly noun: string;
}

/** Shows how far the sending is, until what is returned is called; at a signal it says what is waited for instead. */
export async function showSending(
  context: Context,
  { tally, limiter, records, noun }: Sent,
): Promise<() => Promise<void>> {
  // How far one record is can be 0 or 1.
  if (records < 2) return async () => undefined;
  const { signal } = context;
  const progress = await context.progress();
  const end = progress.follow(() => ({
    ...{ phase: 'sending', unit: plural(noun), done: tally.done, total: records },
    ...{ failed: tally.failed, unknown: tally.unknown, inFlight: limiter.inFlight },
  }));
  const stop = () => {
    void end();
    void context.note(stoppingText(limiter.inFlight, signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
    return end();
  };
}

function stoppingText(inFlight: number, reason: unknown): string {
  const isByKey = reason instanceof SvcError && reason.failure === 'interrupted';
  const again = isByKey ? 'Ctrl-C again ends at once' : 'a second signal ends at once';
  return inFlight > 0 ? `stopping: waiting for ${amount(inFlight, 'request')} in flight (${again})` : 'stopping';
}
