import { type ScalarTag, stringify } from 'yaml';
import { exactNumber } from '../kernel/exact-json.ts';
import { safeJson, safeText } from '../kernel/safe-text.ts';
import type { Renderer } from './renderer.ts';

/**
 * Plain only where readers of YAML 1.1 and 1.2 agree that it is text: letters first, so that no number, date, merge
 * key or sexagesimal qualifies, nothing that has a meaning in YAML, and none of the words that stand for a value.
 * `e5` is a number to some.
 */
const PLAIN = /^(?!e-?\d+$)[\p{L}_][\p{L}\p{N}_.@/-]*( [\p{L}\p{N}_.@/-]+)*$/iu;
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);

/** Everything else in double quotes, written as JSON: both versions read its escapes alike. */
const text: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (source) => source,
  stringify: ({ value }) => {
    const string = String(value);
    const isPlain = PLAIN.test(string) && !WORDS.has(string.toLowerCase());
    // Some letters, such as the fillers of Hangul, are invisible.
    return isPlain && safeText(string) === string ? string : safeJson(JSON.stringify(string));
  },
};

/** YAML 1.1 knows an exponent only behind a decimal point. */
const number: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' || exactNumber(value) !== undefined,
  resolve: Number,
  stringify: ({ value }) => JSON.stringify(value).replace(/^(-?\d+)e/i, '$1.0e'),
};

const document = (value: unknown) =>
  stringify(value, {
    customTags: () => ['map', 'seq', 'bool', 'null', text, number],
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });

/** One document; records are the items of a list that is written page by page. */
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
  value: (value) => document(value ?? null),
};
