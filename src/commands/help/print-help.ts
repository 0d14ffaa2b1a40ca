import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { shouldUseColor, toTerminalText } from '../terminal/terminal.ts';
import { reflow } from './reflow.ts';
import { NARROW_START_SCREEN, START_SCREEN } from './root-help.ts';
import { styleHelp } from './style-help.ts';

/** Width of the start screen, in columns. */
const START_SCREEN_WIDTH = 80;

/**
 * Prints help, adapted to the width, character set, and colors of the terminal. Without a terminal, prints the text
 * unchanged, except for forced color.
 */
export async function printHelp(
  text: string,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
  color: GlobalOptions['color'] = 'auto',
): Promise<void> {
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  const fitting = text === START_SCREEN && columns < START_SCREEN_WIDTH ? NARROW_START_SCREEN : text;
  const lines = reflow(toTerminalText(fitting, stdout, environment), stdout.columns);
  await stdout.write(shouldUseColor(color, stdout, environment) ? styleHelp(lines) : lines);
}
