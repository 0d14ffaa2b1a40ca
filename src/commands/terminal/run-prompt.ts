import { SvcError } from '../../kernel/errors.ts';
import type { PrompterDependencies } from '../prompter.ts';

export const PAGE_SIZE = 12;

interface Key {
  name?: string;
  ctrl?: boolean;
}

/** Runs a prompt. Ctrl-C and Ctrl-D cancel it; the prompts library ignores Ctrl-D. */
export async function runPrompt<Value>(
  { io, signal }: PrompterDependencies,
  prompt: (streams: {
    signal: AbortSignal;
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
  }) => Promise<Value>,
  onKey?: (key: Key) => void,
): Promise<Value> {
  const canceled = new AbortController();
  const onKeypress = (_: unknown, key: Key) => {
    if (key.ctrl && key.name === 'd') canceled.abort();
    onKey?.(key);
  };
  const input = io.stdin.stream.on('keypress', onKeypress);
  try {
    return await prompt({
      input,
      output: io.stderr.stream,
      signal: AbortSignal.any([signal, canceled.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (canceled.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError'))
      throw createInterruptedError(error);
    throw error;
  } finally {
    input.off('keypress', onKeypress);
  }
}

/** Creates the error for Ctrl-C at a prompt or the end of the input. */
export function createInterruptedError(cause?: unknown): SvcError {
  return new SvcError('interrupted', 'canceled at a prompt; nothing was written', { cause });
}
