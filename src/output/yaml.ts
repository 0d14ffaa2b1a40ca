import { type ScalarTag, stringify } from 'yaml';
import { exactNumberText } from '../kernel/exact-json.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import { hasLongList, isLongList, type Renderer, splitPage } from './renderer.ts';

/**
 * Matches text that YAML 1.1 and 1.2 both read as a string without quotes. The first letter rules
 * out numbers, dates, merge keys, and sexagesimals, except `e5`, a number to some readers. `WORDS`
 * rules out keywords.
 */
const PLAIN = /^(?!e-?\d+$)[\p{L}_][\p{L}\p{N}_.@/-]*( [\p{L}\p{N}_.@/-]+)*$/iu;
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);

/** Quotes all other text as JSON, whose escapes both versions read the same way. */
const text: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (source) => source,
  stringify: ({ value }) => {
    const string = String(value);
    const isPlain = PLAIN.test(string) && !WORDS.has(string.toLowerCase());
    // Some letters, such as the fillers of Hangul, are invisible.
    return isPlain && escapeForTerminal(string) === string
      ? string
      : escapeJsonForTerminal(JSON.stringify(string));
  },
};

/** YAML 1.1 supports exponents only after a decimal point. */
const number: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' || exactNumberText(value) !== undefined,
  resolve: Number,
  stringify: ({ value }) => JSON.stringify(value).replace(/^(-?\d+)e/i, '$1.0e'),
};

const document = (value: unknown) =>
  stringify(value, {
    customTags: () => ['map', 'seq', 'bool', 'null', text, number],
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });

export const yamlRenderer: Renderer = {
  async *records(pages) {
    let empty = true;
    for await (const page of pages) {
      if (page.length === 0) continue;
      empty = false;
      yield document(page);
    }
    if (empty) yield '[]\n';
  },
  value: (value) => (hasLongList(value) ? formatLongDocument(value) : document(value ?? null)),
};

/** Formats an object field by field, and its long lists in parts. */
function* formatLongDocument(fields: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(fields).filter(([, given]) => given !== undefined)) {
    const [first, ...others] = isLongList(value) ? splitPage(value) : [value];
    yield document({ [name]: first });
    for (const part of others) {
      const text = document({ [name]: part });
      yield text.slice(text.indexOf('\n') + 1);
    }
  }
}
