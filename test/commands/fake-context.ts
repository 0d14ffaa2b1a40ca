import { Readable, Writable } from 'node:stream';
import { Activity } from '../../src/commands/activity.ts';
import type { Context, GlobalOptions } from '../../src/commands/context.ts';
import { findLetterAnswer, type Prompter, parseAnswer } from '../../src/commands/prompter.ts';
import { openContext } from '../../src/commands/run/open-context.ts';
import { renderHint } from '../../src/commands/service-flags.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Environment, Folders } from '../../src/kernel/folders.ts';
import type { Sink } from '../../src/kernel/io.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { createProgress } from '../../src/output/progress.ts';
import { resolveTarget } from '../../src/profiles/resolve.ts';
import { createTemporaryFolder, createUserFolders } from '../temporary-folder.ts';

export interface FakeContextOptions {
  readonly options?: Partial<GlobalOptions>;
  readonly environment?: Environment;
  readonly folders?: Folders;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** Answers to prompts, in order. If given, the streams are terminals. */
  readonly answers?: readonly string[];
  /**
   * Width of a terminal with 30 lines. Without it, the width is 80, and the number of lines is
   * unknown.
   */
  readonly columns?: number;
}

export interface Written {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

export interface FakeContext extends Context {
  stdout(): string;
  stderr(): string;
  /** Output on both streams, in order. */
  readonly written: readonly Written[];
  /** All prompts, including those for secrets and confirmations. */
  readonly questions: readonly string[];
}

/** A context with streams in memory and temporary folders; all other parts are real. */
export async function fakeContext(given: FakeContextOptions = {}): Promise<FakeContext> {
  const isTerminal = given.answers !== undefined;
  const size = isTerminal ? { columns: given.columns ?? 80, rows: given.columns && 30 } : undefined;
  const written: Written[] = [];
  const [stdout, stderr] = [
    memorySink('stdout', written, size),
    memorySink('stderr', written, size),
  ];
  const answers = [...(given.answers ?? [])];
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer for the prompt: ${question}`);
    return answer;
  };
  const options: GlobalOptions = { ...DEFAULT_OPTIONS, ...given.options };
  const processParts = {
    environment: given.environment ?? {},
    cwd: given.cwd ?? (await createTemporaryFolder()),
    folders: given.folders ?? (await createUserFolders()),
    io: {
      stdin: { isTerminal, stream: Readable.from([Buffer.from(given.stdin ?? '')]) },
      stdout,
      stderr,
    },
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const activity = new Activity();
  const format = options.output ?? 'table';
  const progress = createProgress(
    stderr,
    systemClock,
    options.quiet ? 'none' : isTerminal ? 'bar' : 'lines',
  );
  const embedded = options.local ? { embedded: {} } : {};
  const target = () => resolveTarget({ ...processParts, flags: options, ...embedded });
  return {
    ...processParts,
    activity,
    inputNaming: 'flags',
    options,
    words: [],
    reopen: ({ options: changed = options, ...parts }) =>
      openContext({ ...processParts, ...parts }, changed, activity),
    fileTarget: undefined,
    target,
    targetWithSecrets: async () => (await target()).withSecrets(),
    readOnly: async () => undefined,
    approvals: async () => undefined,
    tracing: async () => undefined,
    client: () => Promise.reject(new Error('no client in this test')),
    embedded: async () => undefined,
    format: async () => format,
    printer: async () => createPrinter(stdout, { ...options, format, color: false }),
    progress: async () => progress,
    note: async (message) =>
      options.quiet ? undefined : stderr.write(`${renderHint(options, message)}\n`),
    warn: (message) => stderr.write(`warning: ${renderHint(options, message)}\n`),
    confirm: async (question) => {
      if (!options.yes && (await ask(question)) !== 'yes') throw new Error('not confirmed');
    },
    prompter: async () => fakePrompter(ask),
    questions,
    written,
    stdout: () => textOf('stdout', written),
    stderr: () => textOf('stderr', written),
  };
}

/**
 * Prompts with the given answers, as typed in plain mode; an empty answer selects the default
 * value.
 */
function fakePrompter(ask: (question: string) => Promise<string>): Prompter {
  return {
    text: async (question) => parseAnswer(question, await ask(question.message)),
    secret: ask,
    confirm: async (message, defaultValue) =>
      ((await ask(message)) || (defaultValue ? 'yes' : 'no')) === 'yes',
    letter: async (question) => {
      const chosen = findLetterAnswer(question, await ask(question.message));
      if (!chosen) throw new TypeError(`no such answer to ${question.message}`);
      return chosen.letter;
    },
    pick: async ({ message, defaultValue = '' }) => (await ask(message)) || defaultValue,
    multiSelect: async ({ message, defaultValues: defaultValue }) => {
      const answer = await ask(message);
      return answer === '' ? defaultValue : answer.split(',');
    },
  };
}

const DEFAULT_OPTIONS: GlobalOptions = {
  local: false,
  headers: true,
  bom: false,
  pager: true,
  time: 'iso',
  envelope: false,
  quiet: false,
  verbose: false,
  debug: false,
  color: 'auto',
  input: true,
  yes: false,
  dryRun: false,
  timeout: 60_000,
  maxWait: 600_000,
  showSecrets: false,
  plainMessages: false,
  insecureHttp: false,
};

function memorySink(
  stream: Written['stream'],
  written: Written[],
  size: Pick<Sink, 'columns' | 'rows'> | undefined,
): Sink {
  return {
    isTerminal: size !== undefined,
    columns: size?.columns,
    rows: size?.rows,
    stream: new Writable(),
    write: async (text) => {
      written.push({ stream, bytes: Buffer.from(text) });
    },
  };
}

function textOf(stream: Written['stream'], written: readonly Written[]): string {
  return Buffer.concat(
    written.flatMap((each) => (each.stream === stream ? [each.bytes] : [])),
  ).toString();
}
