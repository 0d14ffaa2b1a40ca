import { isInForeground } from '../../kernel/foreground.ts';
import { onContinued, signalJob } from '../../kernel/process.ts';
import type { Context } from '../context.ts';
import type { RawStream } from './run-prompt.ts';
import { canAsk } from './terminal.ts';

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/**
 * Ctrl-C and Ctrl-Z work as usual.
 * @returns a function that restores the terminal; undefined without a terminal
 */
export function listenForKeys(
  context: Context,
  onKey: (key: string) => void,
): (() => void) | undefined {
  if (!canAsk(context) || !isInForeground()) return undefined;
  const stream: RawStream = context.io.stdin.stream;
  const receive = (chunk: Buffer | string) => {
    for (const key of chunk.toString()) {
      if (key === CTRL_C) signalJob('SIGINT');
      else if (key === CTRL_Z) suspend();
      else onKey(key);
    }
  };
  const start = () => {
    stream.setRawMode?.(true);
    stream.on('data', receive).resume();
  };
  const stop = () => {
    stream.off('data', receive).pause();
    stream.setRawMode?.(false);
  };
  const suspend = () => {
    stop();
    signalJob('SIGTSTP');
  };
  // In the background, svc must not read keys.
  const stopWatching = onContinued(() => {
    stream.off('data', receive);
    if (isInForeground()) start();
  });
  start();
  return () => {
    stopWatching();
    stop();
  };
}
