import { type PlainScalar, parsePlainScalar } from './plain-scalar.ts';

/**
 * One field of a block mapping: a plain key, and a value that every YAML reader treats as a single
 * scalar. Quoted values contain no escapes.
 */
const FIELD =
  /([A-Za-z_]\w*):(?: +(?:"([^"\\\r\n\t]*)"|'([^'\r\n\t]*)'|((?:[\w\u00a1-\u1fff\u3040-\ud7ff][\w\u00a1-\u1fff\u3040-\ud7ff@.,'+/()-]*)(?: [\w\u00a1-\u1fff\u3040-\ud7ff(+/][\w\u00a1-\u1fff\u3040-\ud7ff@.,'+/()-]*)*)))? *\r?(?:\n|$)/y;
const DASH = /( *)-( +)/y;

/**
 * Parses a block list item that has only simple fields, one per line. Returns `undefined` for any
 * other item.
 */
export function parseSimpleItem(text: string):
  | {
      readonly value: Readonly<Record<string, PlainScalar | string | null>>;
      readonly column: number;
    }
  | undefined {
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
    const value = double ?? single ?? (plain === undefined ? undefined : parsePlainScalar(plain));
    if (value === undefined || key === '__proto__' || Object.hasOwn(record, key)) return undefined;
    record[key] = value;
    at = FIELD.lastIndex;
    if (at === text.length) return { value: record, column: indent + 1 };
    if (!text.startsWith(margin, at)) return undefined;
    at += indent;
  }
}
