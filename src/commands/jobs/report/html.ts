import { escapeForTerminal } from '../../../kernel/safe-text.ts';

/** Trusted HTML. Only `html` creates it, from escaped values. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | readonly Html[] | string | number | undefined;

export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(renderPart)));
}

function renderPart(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(({ text }) => text).join('');
}

function escapeHtml(text: string): string {
  return escapeForTerminal(text).replace(
    /[&<>"'`]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
