import { type Sink, withWrite } from '../../kernel/io.ts';
import type { Progress } from '../../output/progress.ts';

/** A stdout sink, which may share its terminal with stderr. */
export interface SharedTerminal extends Sink {
  /** Whether the terminal is in the middle of a line, or another program uses it. */
  isInLine(): boolean;
  /** Holds a message while a document is on the terminal. Returns whether the message was held. */
  holdMessage(text: string): boolean;
  /** Runs a function that writes a document. Then prints the messages that were held. */
  writeDocument(write: () => Promise<void>, print: (text: string) => Promise<void>): Promise<void>;
  /**
   * Runs another program on the terminal. Hides progress and holds the messages of the current
   * document meanwhile.
   */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Creates a sink that keeps results separate from messages and progress on a shared terminal. */
export function createSharedTerminal(
  sink: Sink,
  progress: () => Progress | undefined,
): SharedTerminal {
  let [inLine, isLent] = [false, false];
  let document: { isStarted: boolean; readonly held: string[] } | undefined;
  const shared = withWrite(sink, (text) => {
    if (text.length > 0) inLine = text.at(-1) !== (typeof text === 'string' ? '\n' : 10);
    if (text.length > 0 && document) document.isStarted = true;
    return progress()?.writeAlongside(sink, text) ?? sink.write(text);
  });
  return Object.assign(shared, {
    isInLine: () => (inLine || isLent) && sink.isTerminal,
    holdMessage: (text: string) => {
      if (!document?.isStarted || !sink.isTerminal) return false;
      document.held.push(text);
      return true;
    },
    writeDocument: async (write: () => Promise<void>, print: (text: string) => Promise<void>) => {
      const opened = { isStarted: false, held: [] as string[] };
      document = opened;
      try {
        await write();
      } finally {
        document = undefined;
        for (const text of opened.held) await print(text);
      }
    },
    lend: async <Result>(run: () => Promise<Result>) => {
      isLent = true;
      if (document) document.isStarted = true;
      // Erases the progress.
      await progress()?.writeAlongside(sink, '');
      try {
        return await run();
      } finally {
        isLent = false;
      }
    },
  });
}
