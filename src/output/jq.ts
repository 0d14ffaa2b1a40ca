import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { SvcError } from '../kernel/errors.ts';
import { startThread } from '../kernel/parts.ts';
import type { JqJob, JqResult } from './jq-worker.ts';

/** Runs one jq expression over JSON texts, in a thread of its own. */
export interface Filter {
  /**
   * What the expression makes of a JSON text: strings as they are, other values as compact JSON, one a line.
   * @throws SvcError `local` when it fails, takes too long or makes too much.
   */
  apply(json: string): Promise<string>;
  close(): Promise<void>;
}

export interface FilterLimits {
  readonly milliseconds: number;
  /** Of the text that goes in, and of what comes out. */
  readonly bytes: number;
}

const LIMITS: FilterLimits = { milliseconds: 10_000, bytes: 64 * 1024 * 1024 };

/** @throws SvcError `usage` when the expression is not valid jq. */
export async function openFilter(expression: string, signal?: AbortSignal, limits = LIMITS): Promise<Filter> {
  const worker = startThread('jq-worker', import.meta.url, { stdout: true, stderr: true });
  const run = (job: JqJob) => answer(worker, job, limits.milliseconds, signal);
  const filter: Filter = {
    async apply(json) {
      if (Buffer.byteLength(json) > limits.bytes) throw failed(`the result is over ${sizeOf(limits)}`);
      const { stdout, stderr, exitCode } = await run({ program: limited(expression, limits), json });
      if (exitCode !== 0) throw failed(complaint(stderr) || 'it stopped without a reason');
      return stdout === '' ? '' : `${stdout.split('\n').map(shown).join('\n')}\n`;
    },
    close: async () => void (await worker.terminate()),
  };
  try {
    // Over no input at all nothing runs, but everything is compiled.
    const { stderr, exitCode } = await run({ program: expression, json: '' });
    if (exitCode !== 0) throw new SvcError('usage', `--jq: ${complaint(stderr)}`, { hint: `see ${MANUAL}` });
    return filter;
  } catch (error) {
    await filter.close();
    throw error;
  }
}

const MANUAL = 'https://jqlang.org/manual';

async function answer(worker: Worker, job: JqJob, milliseconds: number, signal?: AbortSignal): Promise<JqResult> {
  const limit = AbortSignal.timeout(milliseconds);
  const ending = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
  worker.postMessage(job);
  try {
    const [result] = await once(worker, 'message', { signal: ending });
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw failed(limit.aborted ? `it took over ${milliseconds / 1000} s` : 'it ran out of memory', error);
  }
}

/** The expression with an end to what it may put out. On lines of its own, so that it may end with a comment. */
function limited(expression: string, limits: FilterLimits): string {
  const most = `error("it makes over ${sizeOf(limits)}")`;
  return `foreach (\n${expression}\n) as $out (0; . + ($out | tojson | utf8bytelength); if . > ${limits.bytes} then ${most} else $out end)`;
}

function shown(line: string): string {
  return line.startsWith('"') ? String(JSON.parse(line)) : line;
}

/** `jq: error (at /dev/stdin:0): …` without where, and without the lines that point at it. */
function complaint(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error( \(at [^)]*\))?: )?/, '').replace(/:$/, '');
}

function failed(why: string, cause?: unknown): SvcError {
  return new SvcError('local', `--jq: ${why}`, {
    hint: 'the command itself has run; only its result could not be filtered',
    cause,
  });
}

function sizeOf({ bytes }: FilterLimits): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
}
