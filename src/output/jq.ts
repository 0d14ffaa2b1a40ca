import { promisify } from 'node:util';
import { type Context, createContext, runInContext } from 'node:vm';
import { brotliDecompress } from 'node:zlib';
import { type Jq, loadJq } from 'jq-wasm';
import { readBuildFile } from '../kernel/bundled-programs.ts';
import { FAILURES, SvcError } from '../kernel/errors.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import type { FilterText } from './printer.ts';

export interface JqLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

const LIMITS: JqLimits = { milliseconds: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * Compiles a jq expression. The filter returns one output per line: strings as raw text, other
 * values as compact JSON. The filter throws an SvcError `local` if the expression fails, takes too
 * long, or its output is too large.
 *
 * jq runs in this thread, because starting another thread takes longer than a short command takes
 * to run.
 * @throws SvcError `usage` if the expression is not valid jq
 */
export async function openJqFilter(
  expression: string,
  signal?: AbortSignal,
  limits = LIMITS,
): Promise<FilterText> {
  const jq = await load();
  const context = createContext();
  const run = (program: string, json: string) =>
    runWithLimit(context, () => jq.raw(json, program, FLAGS), limits, signal);
  // Without input, jq compiles the expression but does not run it.
  const { stderr, exitCode } = await run(expression, '');
  if (exitCode !== 0)
    throw new SvcError('usage', `--jq: ${errorMessage(stderr)}`, { hint: `see ${MANUAL}` });
  return async (json) => {
    if (Buffer.byteLength(json) > limits.bytes)
      throw createFilterError(`the result exceeds ${formatLimit(limits)}`);
    const { stdout, stderr, exitCode } = await run(withOutputLimit(expression, limits), json);
    if (exitCode !== 0)
      throw createFilterError(errorMessage(stderr) || 'jq stopped without an error message');
    return stdout === '' ? '' : `${stdout.split('\n').map(rawText).join('\n')}\n`;
  };
}

const FLAGS = ['--compact-output', '--'];
const MANUAL = 'https://jqlang.org/manual';

async function load(): Promise<Jq> {
  const packed = await readBuildFile('jq.wasm.br', import.meta.url);
  return loadJq(packed ? { wasmBinary: await promisify(brotliDecompress)(packed) } : {});
}

/**
 * Runs jq until it ends, the time limit is reached, or Ctrl-C is pressed. Other signals take effect
 * afterward.
 */
async function runWithLimit<Result>(
  context: Context,
  run: () => Result,
  { milliseconds }: JqLimits,
  signal?: AbortSignal,
) {
  try {
    return runInterruptibly(context, run, milliseconds);
  } catch (error) {
    // Signals that arrived in the meantime take precedence.
    await yieldToEvents(signal);
    // The error may belong to another context, so `instanceof` does not apply.
    const { code } = Object(error);
    if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED')
      throw new SvcError('interrupted', FAILURES.interrupted.meaning);
    const isTimeout = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw createFilterError(
      isTimeout ? `jq ran longer than ${milliseconds / 1000} s` : 'jq ran out of memory',
      error,
    );
  }
}

/** Runs a function for a script of another context: only such scripts can be interrupted. */
function runInterruptibly<Result>(context: Context, run: () => Result, timeout: number): Result {
  const { error: printError } = console;
  // jq-wasm prints the internal errors that it throws.
  console.error = () => undefined;
  try {
    return runInContext('run()', Object.assign(context, { run }), { timeout, breakOnSigint: true });
  } finally {
    console.error = printError;
  }
}

/** Adds an output limit. The expression is on separate lines, because it may end with a comment. */
function withOutputLimit(expression: string, limits: JqLimits): string {
  const limitError = `error("the output exceeds ${formatLimit(limits)}")`;
  return `foreach (\n${expression}\n) as $out (0; . + ($out | tojson | utf8bytelength); if . > ${limits.bytes} then ${limitError} else $out end)`;
}

function rawText(line: string): string {
  return line.startsWith('"') ? String(JSON.parse(line)) : line;
}

function errorMessage(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error( \(at [^)]*\))?: )?/, '').replace(/:$/, '');
}

function createFilterError(reason: string, cause?: unknown): SvcError {
  return new SvcError('local', `--jq: ${reason}`, {
    hint: 'the command ran, but its result could not be filtered',
    cause,
  });
}

function formatLimit({ bytes }: JqLimits): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
}
