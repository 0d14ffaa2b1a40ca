import type { ProcessEnvironment } from '../context.ts';
import { toTerminalText } from '../terminal/terminal.ts';
import { reflow } from './reflow.ts';

/** Prints help, adapted to the width and character set of the terminal; unchanged if stdout is not a terminal. */
export async function printHelp(
  text: string,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
): Promise<void> {
  await stdout.write(reflow(toTerminalText(text, stdout, environment), stdout.columns));
}
