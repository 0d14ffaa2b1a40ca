import type { ProcessEnvironment } from '../context.ts';
import { shownText } from '../terminal/terminal.ts';
import { reflow } from './reflow.ts';

/** Prints help as the terminal has room and signs for it, and whole where there is none. */
export async function printHelp(
  text: string,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
): Promise<void> {
  await stdout.write(reflow(shownText(text, stdout, environment), stdout.columns));
}
