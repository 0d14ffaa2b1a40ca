import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { shouldUseColor, toTerminalText } from '../terminal/terminal.ts';
import type { HelpPage } from './blocks.ts';
import { renderHelp } from './render-help.ts';

/**
 * Prints help in the width of the terminal. Without a terminal, wraps nothing, and uses styles only
 * for forced color.
 */
export async function printHelp(
  page: HelpPage,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
  color: GlobalOptions['color'] = 'auto',
): Promise<void> {
  const { columns, isTerminal } = stdout;
  const isStyled = shouldUseColor(color, stdout, environment);
  const toText = (text: string) => toTerminalText(text, { isTerminal }, environment);
  await stdout.write(renderHelp(page, { columns, isStyled, toText }));
}
