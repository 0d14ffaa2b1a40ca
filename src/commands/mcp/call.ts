import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { SvcError } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { serviceLabel } from '../call/protected-profile.ts';
import type { Context } from '../context.ts';
import { openContext } from '../run/open-context.ts';
import { loadRunner } from '../run/run-operation.ts';
import { reportError } from '../terminal/report-error.ts';
import { ConfirmationRequired } from './confirmation.ts';
import { secretWithheldError, toToolError } from './tool-terms.ts';
import type { OperationTool } from './tools.ts';

type Data = Readonly<Record<string, unknown>>;

export interface ToolHost {
  readonly signal: AbortSignal;
  readonly onMessage: (text: string) => void;
  /** Asks the user a question. @throws ConfirmationRequired, or an SvcError if the host cannot ask the user */
  readonly ask: (question: string) => boolean;
}

/**
 * Runs an operation like its command with `--data`, and returns the command's result as JSON and its messages.
 * @throws ConfirmationRequired before the first request, unless `--yes` is set
 */
export async function callTool(context: Context, tool: OperationTool, data: Data, host: ToolHost): Promise<CallToolResult> {
  const result = createMemorySink();
  const messages = createMemorySink(host.onMessage);
  const io = { stdin: { isTerminal: false, stream: Readable.from([]) }, stdout: result, stderr: messages };
  const options = { ...context.options, output: 'json', input: false, quiet: false } as const;
  const signal = AbortSignal.any([context.signal, host.signal]);
  const opened = openContext({ ...context, io, signal }, options, context.activity, { inputNaming: 'fields' });
  // Reuses the settings, so that the keychain is read once per session.
  const { settings, openSettings } = context;
  const confirm: Context['confirm'] = async (question) => {
    if (options.yes || host.ask(`${question} (${await serviceLabel(context)})`)) return;
    throw new SvcError('usage', 'not confirmed; nothing was changed');
  };
  const toolContext: Context = { ...opened.context, settings, openSettings, confirm };
  let failed = false;
  try {
    await runTool(toolContext, tool, data);
    if (isTooLong(result.text(), tool)) throw resultTooLongError(result.text());
  } catch (error) {
    if (error instanceof ConfirmationRequired) throw error;
    failed = true;
    const toolError = error instanceof SvcError ? toToolError(error, options) : error;
    await reportError(io, ['-o', 'json'], context.environment, toolError);
  } finally {
    await opened.close();
  }
  const resultText = isTooLong(result.text(), tool) ? '' : result.text().trimEnd();
  const notes = redactRemembered(messages.text()).trimEnd();
  return {
    content: [resultText, notes].filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    ...(failed ? { isError: true } : tool.tool.outputSchema && { structuredContent: structuredContentOf(resultText, notes) }),
  };
}

async function runTool(context: Context, { entry, operation, runner }: OperationTool, data: Data): Promise<void> {
  const { showSecrets, dryRun } = context.options;
  if (operation.revealsSecrets && !showSecrets && !dryRun) throw secretWithheldError(entry.command);
  const list = operation.bulk?.field;
  if (list !== undefined && data[list] === undefined) {
    throw new SvcError('bad_data', `${list} is required`, { hint: "see the tool's input schema" });
  }
  const run = await loadRunner(runner);
  if (isDeeperThan(MAX_DATA_DEPTH, data)) {
    throw new SvcError('bad_data', `the data is nested more than ${MAX_DATA_DEPTH} levels deep`);
  }
  await run(context, [entry], { arguments: [], options: { data: JSON.stringify(data), allowUnknownEvent: true } });
}

const MAX_DATA_DEPTH = 100;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

const MAX_RESULT_LENGTH = 1_000_000;

function isTooLong(resultText: string, { entry }: OperationTool): boolean {
  return entry.effect === 'read' && resultText.length > MAX_RESULT_LENGTH;
}

function resultTooLongError({ length }: string): SvcError {
  return new SvcError('usage', `the result has ${length} characters, more than the limit of ${MAX_RESULT_LENGTH}`, {
    hint: 'request smaller pages, or single records by their IDs',
  });
}

function structuredContentOf(resultText: string, notes: string): Record<string, unknown> {
  return { ...(resultText !== '' && { result: JSON.parse(resultText) }), ...(notes !== '' && { notes: notes.split('\n') }) };
}

/** Creates a sink in memory, because stdout and stderr belong to the MCP transport. */
function createMemorySink(onWrite: (text: string) => void = () => undefined): Sink & { text(): string } {
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
