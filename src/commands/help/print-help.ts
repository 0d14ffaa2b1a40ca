import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { shouldUseColor, toTerminalText } from '../terminal/terminal.ts';
import { reflow } from './reflow.ts';
import { styleHelp } from './style-help.ts';

/**
 * Prints help, adapted to the width, character set, and colors of the terminal. Without a terminal, the text is unchanged
 * unless color is forced.
 */
export async function printHelp(
  text: string,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
  color: GlobalOptions['color'] = 'auto',
): Promise<void> {
  const lines = reflow(toTerminalText(text, stdout, environment), stdout.columns);
  await stdout.write(shouldUseColor(color, stdout, environment) ? styleHelp(lines) : lines);
}
