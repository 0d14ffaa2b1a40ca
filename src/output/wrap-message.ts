import { createMeasure } from './width.ts';
import { wrapWords } from './wrap.ts';
import { wrapCommand } from './wrap-command.ts';

export type MessagePart = string | { readonly command: string };
const GLUE = '\ue001';

/**
 * Wraps between words. Splits a command at ` \` if it is longer than a line. Returns an indented
 * message unchanged.
 */
export async function wrapMessage(parts: readonly MessagePart[], width: number): Promise<string> {
  const whole = parts.map((part) => (typeof part === 'string' ? part : part.command)).join('');
  const measure = await createMeasure([[whole]]);
  if (whole.startsWith(' ') || measure(whole) <= width) return whole;
  const lines: string[] = [];
  let text = '';
  const endText = () => {
    if (text.trim() !== '') lines.push(...wrapWords(text.trim(), width, measure, true));
    text = '';
  };
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if (measure(part.command) <= width) text += part.command.replaceAll(' ', GLUE);
    else {
      endText();
      lines.push(...wrapCommand(part.command, width, measure));
    }
  }
  endText();
  return lines.join('\n').replaceAll(GLUE, ' ');
}
