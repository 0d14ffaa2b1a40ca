import { type PlainScalar, plainValue } from './plain-scalar.ts';

/**
 * One field of a mapping in block form: a plain key, and a value that no reader of YAML could take for more than one
 * scalar. Values in quotes hold no escapes.
 */
const FIELD =
  /([A-Za-z_]\w*):(?: +(?:"([^"\\\r\n\t]*)"|'([^'\r\n\t]*)'|((?:[\w\u00a1-\u1fff\u3040-\ud7ff][\w\u00a1-\u1fff\u3040-\ud7ff@.,'+/()-]*)(?: [\w\u00a1-\u1fff\u3040-\ud7ff(+/][\w\u00a1-\u1fff\u3040-\ud7ff@.,'+/()-]*)*)))? *\r?(?:\n|$)/y;
const DASH = /( *)-( +)/y;

/** An item of a list, and the column that it begins in behind its dash. */
export interface SimpleItem {
  readonly value: Readonly<Record<string, PlainScalar | string | null>>;
  readonly column: number;
}

/** An item of a block list that holds nothing but simple fields, each on a line; `undefined` for any other. */
export function simpleItem(text: string): SimpleItem | undefined {
  DASH.lastIndex = 0;
  const dash = DASH.exec(text);
  if (!dash) return undefined;
  const indent = dash[0].length;
  const margin = ' '.repeat(indent);
  const record: Record<string, PlainScalar | string | null> = {};
  let at = indent;
  for (;;) {
    FIELD.lastIndex = at;
    const field = FIELD.exec(text);
    if (!field) return undefined;
    const [, key = '', double, single, plain] = field;
    const value = double ?? single ?? (plain === undefined ? undefined : plainValue(plain));
    if (value === undefined || key === '__proto__' || Object.hasOwn(record, key)) return undefined;
    record[key] = value;
    at = FIELD.lastIndex;
    if (at === text.length) return { value: record, column: indent + 1 };
    if (!text.startsWith(margin, at)) return undefined;
    at += indent;
  }
}
