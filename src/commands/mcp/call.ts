import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { SvcError } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { redactMet } from '../../kernel/redact.ts';
import { targetName } from '../call/protection.ts';
import type { Context } from '../context.ts';
import { openContext } from '../run/open-context.ts';
import { loadRunner } from '../run/operation.ts';
import { report } from '../terminal/report.ts';
import { Unanswered } from './host-questions.ts';
import { inToolTerms, secretPurpose, textInToolTerms } from './tool-terms.ts';
import type { OperationTool } from './tools.ts';

type Data = Readonly<Record<string, unknown>>;

/** What a call has of its host. */
export interface Calling {
  /** Aborted when the host gives the call up. */
  readonly signal: AbortSignal;
  /** Hears what is said while the call is at work: that a rate limit is waited for, say. */
  readonly hear: (text: string) => void;
  /** What a person says to a question. @throws what the host has to do first, or that nobody can be asked */
  readonly ask: (question: string) => boolean;
}

/**
 * Calls an operation as its command would with `--data`, and hands back what the command would print: the result as
 * JSON, and behind it what it says. Without `--yes` the host asks its user what the command would have asked.
 * @throws Unanswered before anything is sent
 */
export async function callTool(
  context: Context,
  tool: OperationTool,
  data: Data,
  calling: Calling,
): Promise<CallToolResult> {
  const result = memorySink();
  const talk = memorySink(calling.hear);
  const io = { stdin: { isTerminal: false, stream: Readable.from([]) }, stdout: result, stderr: talk };
  const options = { ...context.options, output: 'json', input: false, quiet: false } as const;
  const signal = AbortSignal.any([context.signal, calling.signal]);
  const opened = openContext({ ...context, io, signal }, options, context.activity);
  // A keychain is asked once, not at each call.
  const { settings, openSettings } = context;
  const confirm: Context['confirm'] = async (question) => {
    if (options.yes || calling.ask(`${question} (${await targetName(context)})`)) return;
    throw new SvcError('usage', 'not confirmed; nothing was done');
  };
  const own: Context = { ...opened.context, settings, openSettings, confirm };
  let failed = false;
  try {
    await runTool(own, tool, data);
    if (isTooLong(result.text(), tool)) throw tooLong(result.text());
  } catch (error) {
    if (error instanceof Unanswered) throw error;
    failed = true;
    const told = error instanceof SvcError ? inToolTerms(error, tool.entry, options) : error;
    await report(io, ['-o', 'json'], context.environment, told);
  } finally {
    await opened.close();
  }
  const answer = isTooLong(result.text(), tool) ? '' : result.text().trimEnd();
  const said = redactMet(talk.text()).trimEnd();
  const notes = failed ? said : textInToolTerms(said, tool.entry);
  return {
    content: [answer, notes].filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    ...(failed ? { isError: true } : tool.tool.outputSchema && { structuredContent: structured(answer, notes) }),
  };
}

async function runTool(context: Context, { entry, operation, runner }: OperationTool, data: Data): Promise<void> {
  const { showSecrets, dryRun } = context.options;
  if (operation.revealsSecrets && !showSecrets && !dryRun) throw secretPurpose(entry.command);
  const list = operation.bulk?.field;
  if (list !== undefined && data[list] === undefined) {
    throw new SvcError('bad_data', `${list} is required`, { hint: "see the tool's input schema" });
  }
  const run = await loadRunner(runner);
  await run(context, [entry], { arguments: [], options: { data: asText(data) } });
}

/** @throws SvcError `bad_data` for what nests so deep that nothing can be made of it */
function asText(data: Data): string {
  if (isDeeperThan(DEEPEST_DATA, data)) {
    throw new SvcError('bad_data', `the data is nested more than ${DEEPEST_DATA} levels deep`);
  }
  return JSON.stringify(data);
}

const DEEPEST_DATA = 100;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** More than a conversation holds. What a write answers is never kept back: it has happened. */
const LONGEST_ANSWER = 1_000_000;

function isTooLong(answer: string, { entry }: OperationTool): boolean {
  return entry.effect === 'read' && answer.length > LONGEST_ANSWER;
}

function tooLong({ length }: string): SvcError {
  return new SvcError('usage', `the answer has ${length} characters, more than the ${LONGEST_ANSWER} a tool gives`, {
    hint: 'ask for less: fewer to a page, or single ones by their ids',
  });
}

function structured(answer: string, notes: string): Record<string, unknown> {
  return {
    ...(answer !== '' && { result: JSON.parse(answer) }),
    ...(notes !== '' && { notes: notes.split('\n') }),
  };
}

/** Keeps what is written to it, in place of the streams that carry the protocol. */
function memorySink(hear: (text: string) => void = () => undefined): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    get stream(): never {
      throw new TypeError('nothing draws on the result of a tool');
    },
    write: async (text) => {
      chunks.push(Buffer.from(text));
      hear(String(text));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
