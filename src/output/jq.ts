import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../kernel/bundled-programs.ts';
import { SvcError } from '../kernel/errors.ts';
import type { JqRequest, JqResult } from './jq-worker.ts';

/** Runs one jq expression over JSON texts, in a thread of its own. */
export interface JqFilter {
  /**
   * Applies the expression to a JSON text. Returns one output per line: strings as raw text, other values as compact JSON.
   * @throws SvcError `local` if the expression fails, takes too long, or its output is too large
   */
  apply(json: string): Promise<string>;
  close(): Promise<void>;
}

export interface JqLimits {
  readonly milliseconds: number;
  /** Limit for the input, and for the output. */
  readonly bytes: number;
}

const LIMITS: JqLimits = { milliseconds: 10_000, bytes: 64 * 1024 * 1024 };

/** @throws SvcError `usage` if the expression is not valid jq */
export async function openJqFilter(expression: string, signal?: AbortSignal, limits = LIMITS): Promise<JqFilter> {
  const worker = startThread('jq-worker', import.meta.url, { stdout: true, stderr: true });
  const run = (job: JqRequest) => runInThread(worker, job, limits.milliseconds, signal);
  const filter: JqFilter = {
    async apply(json) {
      if (Buffer.byteLength(json) > limits.bytes) throw filterError(`the result is over ${formatLimit(limits)}`);
      const { stdout, stderr, exitCode } = await run({ program: withOutputLimit(expression, limits), json });
      if (exitCode !== 0) throw filterError(errorMessage(stderr) || 'jq stopped without an error message');
      return stdout === '' ? '' : `${stdout.split('\n').map(rawText).join('\n')}\n`;
    },
    close: async () => void (await worker.terminate()),
  };
  try {
    // Without input, jq compiles the expression but does not run it.
    const { stderr, exitCode } = await run({ program: expression, json: '' });
    if (exitCode !== 0) throw new SvcError('usage', `--jq: ${errorMessage(stderr)}`, { hint: `see ${MANUAL}` });
    return filter;
  } catch (error) {
    await filter.close();
    throw error;
  }
}

const MANUAL = 'https://jqlang.org/manual';

async function runInThread(
  worker: Worker,
  job: JqRequest,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<JqResult> {
  const limit = AbortSignal.timeout(milliseconds);
  const ending = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
  worker.postMessage(job);
  try {
    const [result] = await once(worker, 'message', { signal: ending });
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw filterError(limit.aborted ? `jq ran longer than ${milliseconds / 1000} s` : 'jq ran out of memory', error);
  }
}

/** Adds an output limit to the expression, which gets lines of its own because it may end with a comment. */
function withOutputLimit(expression: string, limits: JqLimits): string {
  const limitError = `error("the output is over ${formatLimit(limits)}")`;
  return `foreach (\n${expression}\n) as $out (0; . + ($out | tojson | utf8bytelength); if . > ${limits.bytes} then ${limitError} else $out end)`;
}

function rawText(line: string): string {
  return line.startsWith('"') ? String(JSON.parse(line)) : line;
}

/** Reduces `jq: error (at /dev/stdin:0): …` to its message. */
function errorMessage(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error( \(at [^)]*\))?: )?/, '').replace(/:$/, '');
}

function filterError(why: string, cause?: unknown): SvcError {
  return new SvcError('local', `--jq: ${why}`, {
    hint: 'the command itself ran; only its result could not be filtered',
    cause,
  });
}

function formatLimit({ bytes }: JqLimits): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
}
