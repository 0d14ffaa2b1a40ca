import type { JobCounters } from '../../bulk/job-counters.ts';
import type { Limiter } from '../../bulk/limiter/limiter.ts';
import type { RecordInput } from '../../bulk/record-input.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import type { OutputParts, ProcessEnvironment } from '../context.ts';

export async function showCheckProgress(
  output: OutputParts,
  input: RecordInput,
): Promise<() => Promise<void>> {
  const progress = await output.progress();
  return progress.track(() => ({
    phase: 'checking',
    unit: 'bytes',
    done: input.readProgress.bytes,
    total: input.readProgress.of,
  }));
}

/** Shows the progress of a job that only reads. */
export async function showReadProgress(
  { progress }: OutputParts,
  counters: JobCounters,
  { total, noun, inFlight }: ReadJob,
): Promise<() => Promise<void>> {
  if (total < 2) return async () => undefined;
  return (await progress()).track(() => ({
    phase: 'reading',
    unit: pluralize(noun),
    done: counters.decided,
    total,
    failed: counters.failed,
    inFlight: inFlight(),
  }));
}

interface ReadJob {
  readonly total: number;
  readonly noun: string;
  readonly inFlight: () => number;
}

export async function showSendProgress(
  { progress, note, signal }: ProcessEnvironment & OutputParts,
  counters: JobCounters,
  limiter: Pick<Limiter, 'inFlight'>,
  { records, noun }: { readonly records: number; readonly noun: string },
): Promise<() => Promise<void>> {
  if (records < 2) return async () => undefined;
  const display = await progress();
  const end = display.track(() => ({
    phase: 'sending',
    unit: pluralize(noun),
    done: counters.decided,
    total: records,
    failed: counters.failed,
    unknown: counters.unknown,
    inFlight: limiter.inFlight,
  }));
  const stop = () => {
    void end();
    void note(stopMessage(limiter.inFlight, signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
    return end();
  };
}

function stopMessage(inFlight: number, reason: unknown): string {
  const isCtrlC = reason instanceof SvcError && reason.failure === 'interrupted';
  const forceHint = isCtrlC
    ? 'press Ctrl-C again to stop immediately'
    : 'a second signal stops immediately';
  return inFlight > 0
    ? `stopping: waiting for ${formatNounCount(inFlight, 'request')} in flight (${forceHint})`
    : 'stopping';
}
