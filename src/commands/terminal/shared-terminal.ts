import { type Sink, withWrite } from '../../kernel/io.ts';
import type { Progress } from '../../output/progress.ts';

/** A sink that tracks whether its output ends within a line. */
interface SharedTerminal extends Sink {
  /** Whether the sink is a terminal and its output so far ends within a line. */
  isInLine(): boolean;
}

/** Creates a sink that keeps results intact on a terminal that also shows progress. */
export function createSharedTerminal(sink: Sink, progress: () => Progress | undefined): SharedTerminal {
  let inLine = false;
  const shared = withWrite(sink, (text) => {
    if (text.length > 0) inLine = text.at(-1) !== (typeof text === 'string' ? '\n' : 10);
    return progress()?.writeAlongside(sink, text) ?? sink.write(text);
  });
  return Object.assign(shared, { isInLine: () => inLine && sink.isTerminal });
}
