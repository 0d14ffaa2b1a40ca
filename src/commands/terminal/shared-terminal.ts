import { type Sink, writtenBy } from '../../kernel/io.ts';
import type { Progress } from '../../output/progress.ts';

/** A sink that knows where in a line it is. */
interface SharedTerminal extends Sink {
  /** Whether it is a terminal, and what was written so far ends within a line. */
  isInLine(): boolean;
}

/** A sink on which results stay whole where it is the terminal that progress is shown on. */
export function sharedTerminal(sink: Sink, progress: () => Progress | undefined): SharedTerminal {
  let inLine = false;
  const shared = writtenBy(sink, (text) => {
    if (text.length > 0) inLine = text.at(-1) !== (typeof text === 'string' ? '\n' : 10);
    return progress()?.beside(sink, text) ?? sink.write(text);
  });
  return Object.assign(shared, { isInLine: () => inLine && sink.isTerminal });
}
