import type { Sink } from '../../kernel/io.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';

/** Writes workflow commands of GitHub Actions. */
export async function annotateLog(sink: Sink, text: string): Promise<void> {
  await (sink.writeCommand ? sink.writeCommand(text) : sink.write(text));
}

export function escapeWorkflowText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Position of a problem, without a file for stdin. */
type Position = Readonly<Record<'file' | 'line' | 'col', string | number | null | undefined>>;

/**
 * Formats a workflow command of GitHub Actions, such as
 * `::error file=users.json,line=7,col=3::email: is empty`.
 */
export function formatAnnotation(
  kind: 'error' | 'warning',
  position: Position,
  text: string,
): string {
  const properties = Object.entries(position)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${escapeWorkflowText(escapeForTerminal(String(value)))
          .replaceAll(':', '%3A')
          .replaceAll(',', '%2C')}`,
    );
  const label = [kind, properties.join(',')].filter(Boolean).join(' ');
  return `::${label}::${escapeWorkflowText(escapeForTerminal(text))}\n`;
}
