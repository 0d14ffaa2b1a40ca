import { Readable } from 'node:stream';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import type { Context } from '../context.ts';
import { runOperation } from '../run/run-operation.ts';
import { createUnknownFieldError, MAX_RESULT_BYTES, type ToolInput } from './tools.ts';

export interface ToolHost {
  readonly signal: AbortSignal;
  readonly onMessage: (text: string) => void;
}

export interface ToolRun {
  /** Everything that the operation printed: JSON, or nothing. */
  readonly text: string;
  readonly notes: readonly string[];
  readonly error?: unknown;
}

interface RunSettings extends ToolHost {
  readonly dryRun?: boolean;
  readonly fields?: readonly string[] | undefined;
  /** Fields of records to send as they are. */
  readonly keep?: readonly string[] | undefined;
  /** File for the plan of a write, which is then not sent. */
  readonly out?: string;
  readonly confirm: Context['confirm'];
}

/** Runs an operation like its command with `--data`. Never rejects for an expected error. */
export async function runInMemory(
  context: Context,
  entry: OperationEntry,
  input: ToolInput,
  { signal: hostSignal, onMessage, dryRun, fields, keep, out, confirm }: RunSettings,
): Promise<ToolRun> {
  const result = createMemorySink();
  const messages = createMemorySink(onMessage);
  const io = {
    stdin: { isTerminal: false, stream: Readable.from([]) },
    stdout: result,
    stderr: messages,
  };
  const options = {
    ...context.options,
    output: 'json',
    plainMessages: true,
    input: false,
    quiet: false,
    dryRun: dryRun ?? context.options.dryRun,
    ...(fields && { fields }),
  } as const;
  const signal = AbortSignal.any([context.signal, hostSignal]);
  const opened = context.reopen({ io, signal, options, inputNaming: 'fields' });
  // The command line of a server cannot save the plan again.
  const toolContext: Context = {
    ...opened.context,
    confirm,
    ...(out !== undefined && { words: [] }),
  };
  const finish = (error?: unknown): ToolRun => ({
    text: result.text().trimEnd(),
    notes: redactRemembered(messages.text()).split('\n').filter(Boolean),
    ...(error !== undefined && { error }),
  });
  try {
    await runOperation(toolContext, [entry], {
      arguments: [],
      options: {
        data: JSON.stringify(input),
        ...(out !== undefined && { out }),
        ...(keep && { map: keep.map((name) => `${name}=${name}`) }),
      },
    });
    return finish();
  } catch (error) {
    return finish(error);
  } finally {
    await opened.close();
  }
}

const MAX_DEPTH = 100;

/**
 * Checks an input before it is used. Fields beside the records are refused if they are unknown,
 * because the service would drop them.
 * @throws SvcError `invalid_input`
 */
export async function loadChecked(entry: OperationEntry, input: ToolInput): Promise<Operation> {
  const operation = await loadOperation(entry.resource, entry.name);
  if (isDeeperThan(MAX_DEPTH, input))
    throw new SvcError('invalid_input', `input is nested more than ${MAX_DEPTH} levels deep`);
  const known = Object.keys(operation.input.shape);
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined) throw createUnknownFieldError(unknown, known);
  const list = operation.bulk?.field;
  if (list !== undefined && input[list] === undefined)
    throw new SvcError('invalid_input', `${list} is required`, {
      hint: `see describe with operation ${entry.name}`,
    });
  return operation;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** Creates a sink in memory, because stdout and stderr belong to the MCP transport. */
export function createMemorySink(
  onWrite: (text: string) => void = () => undefined,
): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    get stream(): never {
      throw new TypeError('a tool result has no stream');
    },
    write: async (text) => {
      chunks.push(Buffer.from(text));
      onWrite(String(text));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** Runs a limited number of tasks at a time. The others wait, in order. */
export interface Queue {
  run<Value>(task: () => Promise<Value>): Promise<Value>;
  /** Resolves when no task runs or waits. */
  whenIdle(): Promise<void>;
}

export function createQueue(limit: number): Queue {
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  let running = 0;
  const release = () => {
    running -= 1;
    waiting.shift()?.();
    if (running === 0) for (const resolve of idle.splice(0)) resolve();
  };
  return {
    run: async (task) => {
      if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      running += 1;
      try {
        return await task();
      } finally {
        release();
      }
    },
    whenIdle: () =>
      running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
}

/** Bytes left for notes beside a result. */
const NOTE_BYTES = 2_000;
const MAX_BYTES = MAX_RESULT_BYTES - NOTE_BYTES;

interface BoundedResult {
  readonly text: string;
  readonly note?: string;
}

/**
 * Shortens a result to the limit: cuts a list, and says how to get the rest.
 * @throws SvcError `usage` if the result is too large and is not a list
 */
export function boundResult(text: string, offset: number): BoundedResult {
  const isShort = Buffer.byteLength(text) <= MAX_BYTES;
  if (isShort && offset === 0) return { text };
  const value: unknown = JSON.parse(text === '' ? 'null' : text);
  if (!Array.isArray(value)) {
    if (isShort) return { text };
    throw createTooLargeError(Buffer.byteLength(text), 'the result');
  }
  let bytes = 2;
  let end = offset;
  for (; end < value.length; end += 1) {
    bytes += Buffer.byteLength(JSON.stringify(value[end])) + 1;
    if (bytes > MAX_BYTES) break;
  }
  if (end === offset && offset < value.length)
    throw createTooLargeError(bytes, `record ${offset + 1} of the result`);
  const shown = JSON.stringify(value.slice(offset, end));
  if (end >= value.length) return { text: shown };
  const rest = `records ${offset + 1} to ${end} of ${value.length}; call read again with offset ${end} for the rest, or with fields to get more records at once`;
  return { text: shown, note: rest };
}

function createTooLargeError(bytes: number, subject: string): SvcError {
  return new SvcError(
    'usage',
    `${subject} has ${bytes} bytes, more than the limit of ${MAX_RESULT_BYTES}`,
    { hint: 'select parts of it with fields, or read single records by their IDs' },
  );
}
