import { isInForeground } from '../../kernel/foreground.ts';
import { onContinued, signalJob } from '../../kernel/process.ts';

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
