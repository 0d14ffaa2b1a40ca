import { escapeForTerminal } from '../../kernel/safe-text.ts';

/** Escapes text for a workflow command of GitHub Actions. */
export function escapeWorkflowText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

interface AnnotatedPosition {
  /** Omitted for stdin. */
  readonly file: string | undefined;
  readonly line: number | null | undefined;
  readonly col: number | null | undefined;
}

/** Formats a workflow command of GitHub Actions, such as `::error file=users.json,line=7,col=3::email: is empty`. */
export function formatAnnotation(kind: 'error' | 'warning', position: AnnotatedPosition, text: string): string {
  const properties = Object.entries(position)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  const label = [kind, properties.join(',')].filter(Boolean).join(' ');
  return `::${label}::${escapeWorkflowText(escapeForTerminal(text))}\n`;
}

function escapeProperty(text: string): string {
  return escapeWorkflowText(escapeForTerminal(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
