import { SvcError } from '../../kernel/errors.ts';
import { isInForeground } from '../../kernel/foreground.ts';
import { currentPlatform, onContinued, signalJob } from '../../kernel/process.ts';
import type { PrompterDependencies } from '../prompter.ts';

export const PAGE_SIZE = 12;

interface Key {
  name?: string;
  ctrl?: boolean;
}

/**
 * Runs a prompt. Ctrl-C and Ctrl-D cancel it; the prompts library ignores Ctrl-D. Ctrl-Z suspends
 * the job; the library would end the prompt afterward.
 */
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
  const input: RawStream = io.stdin.stream;
  const { output, redraw, leave } = rememberFrame(io.stderr.stream);
  const onKeypress = (_: unknown, key: Key) => {
    if (key.ctrl && key.name === 'd') canceled.abort();
    if (key.ctrl && key.name === 'z' && currentPlatform !== 'win32') {
      // Hides the key from the library.
      key.name = 'suspend';
      leave();
      suspendJob(input);
    }
    onKey?.(key);
  };
  input.on('keypress', onKeypress);
  const stopContinuing = continueAfterSuspension(input, { isRaw: true, redraw });
  try {
    return await prompt({
      input,
      output,
      signal: AbortSignal.any([signal, canceled.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (canceled.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError'))
      throw createInterruptedError(error);
    throw error;
  } finally {
    stopContinuing();
    input.off('keypress', onKeypress);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences
const CURSOR_MOVE = /^\u001b\[\d*G$/;
/** Erases the frame before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences
const ERASURE = /^(?:\u001b\[\d*B)?(?:\u001b\[2K(?:\u001b\[\d*A)?)*\u001b\[G/;

/** Moves the cursor up from the end of the frame. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences
const RETURN_UP = /\u001b\[(\d*)A(?:\u001b\[\d*G)?$/;

/** Wraps an output of the prompts library, which writes a whole frame at a time. */
function rememberFrame(stream: NodeJS.WritableStream) {
  let frame = '';
  const output = new Proxy(stream, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        const [text] = parameters;
        if (name === 'write' && !CURSOR_MOVE.test(String(text))) frame = String(text);
        return Reflect.apply(value, target, parameters);
      };
    },
  });
  return {
    output,
    /** Moves the cursor below the frame, so that the shell does not write over it. */
    leave: () => {
      const lines = RETURN_UP.exec(frame)?.[1] ?? '0';
      stream.write(`${lines === '0' ? '' : `\u001b[${lines}B`}\r\n`);
    },
    redraw: () => void stream.write(`\r${frame.replace(ERASURE, '')}`),
  };
}

/** Creates the error for Ctrl-C at a prompt or the end of the input. */
export function createInterruptedError(cause?: unknown): SvcError {
  return new SvcError('interrupted', 'canceled at a prompt; nothing was written', { cause });
}

export interface RawStream extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

/** Stops the job at Ctrl-Z, which a terminal in raw mode does not do. */
export function suspendJob(stream: RawStream): void {
  // A paused stream would let the process end.
  stream.setRawMode?.(false);
  signalJob('SIGTSTP');
}

/**
 * Reads from the terminal again after the job was suspended, and redraws the prompt. In the
 * background, the first read suspends the job again.
 * @param redraw called after the terminal is back in its mode
 * @returns a function that ends this
 */
export function continueAfterSuspension(
  stream: RawStream,
  { isRaw, redraw }: { readonly isRaw: boolean; readonly redraw: () => void },
): () => void {
  return onContinued(() => {
    if (isInForeground()) {
      if (isRaw) stream.setRawMode?.(true);
      redraw();
    }
    stream.resume();
  });
}
