import { safeText } from '../../../kernel/safe-text.ts';

/** Text that is HTML already. Made by `html` only, so that whatever else comes along is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | readonly Html[] | string | number | undefined;

/** HTML with values filled in: texts are escaped, and what would change how others are shown is made visible. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escaped(text: string): string {
  return safeText(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
