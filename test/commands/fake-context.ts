import { Readable, Writable } from 'node:stream';
import { Activity } from '../../src/commands/activity.ts';
import { type Asker, answerOf } from '../../src/commands/asker.ts';
import type { Context, GlobalOptions } from '../../src/commands/context.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Environment, Folders } from '../../src/kernel/folders.ts';
import type { Sink } from '../../src/kernel/io.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { createProgress } from '../../src/output/progress.ts';
import { resolveOpenSettings, resolveSettings } from '../../src/profiles/resolve.ts';
import { temporaryFolder, temporaryFolders } from '../temporary-folder.ts';

export interface FakeWorld {
  readonly options?: Partial<GlobalOptions>;
  readonly environment?: Environment;
  readonly folders?: Folders;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** Given, the streams are a terminal, and these are the answers, in the order of the questions. */
  readonly answers?: readonly string[];
}

export interface FakeContext extends Context {
  stdout(): string;
  stderr(): string;
  /** Everything that was asked, secrets and confirmations included. */
  readonly questions: readonly string[];
}

/** A context whose streams are in memory and whose folders are temporary; everything else is the product's own. */
export async function fakeContext(world: FakeWorld = {}): Promise<FakeContext> {
  const isTerminal = world.answers !== undefined;
  const [stdout, stderr] = [memorySink(isTerminal), memorySink(isTerminal)];
  const answers = [...(world.answers ?? [])];
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  const options: GlobalOptions = { ...DEFAULT_OPTIONS, ...world.options };
  const surroundings = {
    environment: world.environment ?? {},
    cwd: world.cwd ?? (await temporaryFolder()),
    folders: world.folders ?? (await temporaryFolders()),
  };
  const format = options.output ?? 'table';
  const progress = createProgress(stderr, systemClock, options.quiet ? 'none' : isTerminal ? 'bar' : 'lines');
  return {
    ...surroundings,
    io: { stdin: { isTerminal, stream: Readable.from([Buffer.from(world.stdin ?? '')]) }, stdout, stderr },
    clock: systemClock,
    activity: new Activity(),
    signal: new AbortController().signal,
    options,
    settings: () => resolveSettings({ ...surroundings, flags: options }),
    openSettings: () => resolveOpenSettings({ ...surroundings, flags: options }),
    client: () => Promise.reject(new Error('no client in this test')),
    format: async () => format,
    printer: async () => createPrinter(stdout, { ...options, format, color: false }),
    progress: async () => progress,
    note: async (text) => (options.quiet ? undefined : stderr.write(`${text}\n`)),
    warn: (text) => stderr.write(`warning: ${text}\n`),
    confirm: async (question) => {
      if (!options.yes && (await ask(question)) !== 'yes') throw new Error('not confirmed');
    },
    ask,
    askSecret: ask,
    asker: async () => fakeAsker(ask),
    questions,
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
  };
}

/** Answers are what would be typed in plain mode; an empty one takes the preset. */
function fakeAsker(ask: (question: string) => Promise<string>): Asker {
  return {
    text: async (question) => answerOf(question, await ask(question.message)),
    secret: ask,
    yes: async (message, preset) => ((await ask(message)) || (preset ? 'yes' : 'no')) === 'yes',
    one: async ({ message, preset }) => (await ask(message)) || preset,
    many: async ({ message, preset }) => {
      const answer = await ask(message);
      return answer === '' ? preset : answer.split(',');
    },
  };
}

const DEFAULT_OPTIONS: GlobalOptions = {
  local: false,
  headers: true,
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
  insecureHttp: false,
};

function memorySink(isTerminal: boolean): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal,
    columns: isTerminal ? 80 : undefined,
    stream: new Writable(),
    write: async (text) => {
      chunks.push(Buffer.from(text));
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}
