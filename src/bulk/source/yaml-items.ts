import { InputError } from './record.ts';

/** Longer texts are not parsed as one: what a parser of YAML holds takes fifty times their length. */
export const MOST_YAML_CHARACTERS = 2 * 1024 * 1024;

/** An item of a block list, from its dash to the next one, and the line it begins on. */
export interface YamlItem {
  readonly text: string;
  readonly line: number;
}

/** What a YAML text is made of: a list whose items stand below each other, or anything else. */
export type YamlLayout =
  | { readonly kind: 'list'; readonly indent: string; readonly field: boolean; readonly start: number }
  | { readonly kind: 'other' };

const BEFORE_LIST = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:---[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*)?/;
const BLANK_LINES = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*/;

/** The layout of a text by how it begins; `undefined` when more of it has to come first. */
export function yamlLayout(text: string, field: string): YamlLayout | undefined {
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

/** Cuts the items of a block list that comes in chunks. What follows the list is part of its last item. */
export class YamlItems {
  readonly #name: string;
  readonly #dash: string;
  #text = '';
  #line: number;
  /** How far the item that begins the text has been looked at. */
  #seen = 0;

  constructor(name: string, indent: string, line: number) {
    this.#name = name;
    this.#dash = `\n${indent}-`;
    this.#line = line;
  }

  /** The items that the next chunk completes. @throws SvcError `bad_data` when one is too long */
  push(chunk: string): YamlItem[] {
    this.#text += chunk;
    const text = this.#text;
    const items: YamlItem[] = [];
    let from = 0;
    let next = this.#nextDash(Math.max(0, this.#seen - this.#dash.length));
    for (; next !== -1; next = this.#nextDash(next)) {
      items.push(this.#item(from, next));
      from = next;
    }
    this.#text = text.slice(from);
    this.#seen = this.#text.length;
    if (this.#seen <= MOST_YAML_CHARACTERS) return items;
    throw new InputError(this.#name, { line: this.#line }, 'a record of more than 2 MB', 'is a quote left open?');
  }

  /** The last item. */
  end(): YamlItem {
    return this.#item(0, this.#text.length);
  }

  #item(from: number, to: number): YamlItem {
    const text = this.#text.slice(from, to);
    const line = this.#line;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#line += 1;
    return { text, line };
  }

  /** Where the next line begins that is a dash of this list; -1 when none has come. */
  #nextDash(from: number): number {
    const text = this.#text;
    for (let at = text.indexOf(this.#dash, from); at !== -1; at = text.indexOf(this.#dash, at + 1)) {
      const after = text[at + this.#dash.length];
      if (after === ' ' || after === '\n' || after === '\r') return at + 1;
      if (after === undefined) return -1;
    }
    return -1;
  }
}
