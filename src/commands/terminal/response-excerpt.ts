import { escapeForTerminal } from '../../kernel/safe-text.ts';

/** Maximum length of an excerpt, in characters. */
const EXCERPT_LENGTH = 120;

/**
 * Formats the start of a response body as a quoted line that is safe for a terminal. An HTML page is
 * shown by its title. Returns an empty text without a body.
 */
export function excerptOf(body: string | null, length = EXCERPT_LENGTH): string {
  if (body === null) return '';
  const [, title = ''] =
    /^\s*<(?:!doctype|html)\b[\s\S]*?<title>([^<]{1,200})<\/title>/i.exec(body) ?? [];
  const line = escapeForTerminal((title.trim() || body).replace(/\s+/g, ' ').trim());
  const characters = [...line];
  const shown = characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
  return shown === '' ? '' : `"${shown}"`;
}

/** Whether an excerpt contains all of a body. */
export function isWholeExcerpt(body: string | null): boolean {
  return body === null || excerptOf(body) === `"${body}"`;
}
