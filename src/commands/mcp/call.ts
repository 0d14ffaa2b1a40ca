import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { SvcError } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { redactMet } from '../../kernel/redact.ts';
import type { Context } from '../context.ts';
import { runOperation } from '../operation.ts';
import { report } from '../report.ts';
import { openWorld } from '../world.ts';
import type { OperationTool } from './tools.ts';

type Data = Readonly<Record<string, unknown>>;

/**
 * Calls an operation as its command would with `--data`, and hands back what the command would print: the result as
 * JSON, and behind it what it says. Nobody can be asked, so that what asks first is refused without `--yes`.
 */
export async function callTool(
  context: Context,
  { entry, operation, runner }: OperationTool,
  data: Data,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const [result, talk] = [memorySink(), memorySink()];
  const io = { stdin: { isTerminal: false, stream: Readable.from([]) }, stdout: result, stderr: talk };
  const options = { ...context.options, output: 'json', input: false, quiet: false } as const;
  const world = openWorld(
    { ...context, io, signal: AbortSignal.any([context.signal, signal]) },
    options,
    context.activity,
  );
  // A keychain is asked once, not at each call.
  const { settings, openSettings } = context;
  const own: Context = { ...world.context, settings, openSettings };
  let failed = false;
  try {
    if (operation.revealsSecrets && !options.showSecrets && !options.dryRun) throw secretPurpose(entry.command);
    const run = runner ? await runner.load() : runOperation;
    await run(own, [entry], { arguments: [], options: { data: JSON.stringify(data) } });
  } catch (error) {
    failed = true;
    await report(io, ['-o', 'json'], context.environment, error);
  } finally {
    await world.close();
  }
  const texts = [result.text(), redactMet(talk.text())].filter((text) => text !== '');
  const content = texts.map((text) => ({ type: 'text' as const, text: text.trimEnd() }));
  return { content, ...(failed && { isError: true }) };
}

function secretPurpose(command: readonly string[]): SvcError {
  return new SvcError('usage', 'this answers with a secret, which whoever reads this conversation would know', {
    hint: `run svc ${command.join(' ')} yourself, or start svc mcp with --show-secrets`,
  });
}

/** Keeps what is written to it, in place of the streams that carry the protocol. */
function memorySink(): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    get stream(): never {
      throw new TypeError('nothing draws on the result of a tool');
    },
    write: async (text) => void chunks.push(Buffer.from(text)),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
