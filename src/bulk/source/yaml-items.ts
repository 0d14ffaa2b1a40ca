import { InputError } from './source.ts';

/**
 * Maximum length of text that is parsed at once. A YAML parser takes fifty times as much memory.
 */
export const MAX_YAML_CHARACTERS = 2 * 1024 * 1024;

/** An item of a block list, from its dash to the next one, and its first line. */
export interface YamlItem {
  readonly text: string;
  readonly line: number;
}

export type YamlLayout =
  | {
      readonly kind: 'list';
      readonly indent: string;
      readonly field: boolean;
      readonly start: number;
    }
  | { readonly kind: 'other' };

const BEFORE_LIST =
  /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:---[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*)?/;
const BLANK_LINES = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*/;

/** Detects the layout from the start of a text. Returns `undefined` if more text is needed. */
export function detectYamlLayout(text: string, field: string): YamlLayout | undefined {
  const prologue = BEFORE_LIST.exec(text)?.[0] ?? '';
  const key = new RegExp(`^(?:${field}|"${field}"|'${field}'):[ \\t]*(?:#[^\\n]*)?\\r?\\n`).exec(
    text.slice(prologue.length),
  )?.[0];
  const keyed = prologue + (key ?? '');
  const start = keyed.length + (BLANK_LINES.exec(text.slice(keyed.length))?.[0].length ?? 0);
  const rest = text.slice(start);
  if (!rest.includes('\n')) return undefined;
  const dash = /^( *)-(?=[ \r\n])/.exec(rest);
  if (!dash || (key === undefined && dash[1] !== '')) return { kind: 'other' };
  return { kind: 'list', indent: dash[1] ?? '', field: key !== undefined, start };
}

/**
 * Splits a block list into items as chunks arrive. Text after the list becomes part of the last
 * item.
 */
export class YamlItemSplitter {
  readonly #name: string;
  readonly #dash: string;
  #text = '';
  #line: number;
  #scanned = 0;

  constructor(name: string, indent: string, line: number) {
    this.#name = name;
    this.#dash = `\n${indent}-`;
    this.#line = line;
  }

  /**
   * Returns the items that the next chunk completes.
   * @throws SvcError `invalid_input` if an item is too long
   */
  push(chunk: string): YamlItem[] {
    this.#text += chunk;
    const text = this.#text;
    const items: YamlItem[] = [];
    let from = 0;
    let next = this.#nextDash(Math.max(0, this.#scanned - this.#dash.length));
    for (; next !== -1; next = this.#nextDash(next)) {
      items.push(this.#item(from, next));
      from = next;
    }
    this.#text = text.slice(from);
    this.#scanned = this.#text.length;
    if (this.#scanned <= MAX_YAML_CHARACTERS) return items;
    const problem = 'the record is longer than 2 MB';
    throw new InputError(this.#name, { line: this.#line }, problem, 'check for an unclosed quote');
  }

  end(): YamlItem {
    return this.#item(0, this.#text.length);
  }

  #item(from: number, to: number): YamlItem {
    const text = this.#text.slice(from, to);
    const line = this.#line;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#line += 1;
    return { text, line };
  }

  #nextDash(from: number): number {
    const text = this.#text;
    for (
      let at = text.indexOf(this.#dash, from);
      at !== -1;
      at = text.indexOf(this.#dash, at + 1)
    ) {
      const after = text[at + this.#dash.length];
      if (after === ' ' || after === '\n' || after === '\r') return at + 1;
      if (after === undefined) return -1;
    }
    return -1;
  }
}
