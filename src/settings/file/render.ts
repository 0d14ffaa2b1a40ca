import {
  type CreateNodeOptions,
  type Document,
  type Node,
  Scalar,
  type ScalarTag,
  type SchemaOptions,
  type Tags,
  type ToStringOptions,
  type YAMLMap,
} from 'yaml';
import { stringifyString } from 'yaml/util';
import { tryParseJson } from '../../kernel/json.ts';

/** Text that YAML 1.1 and 1.2 read as a string without quotes. */
const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][\w./@-]*(?:[ :][\w./@-]+)*$/i;
/** Characters that JSON does not escape and that YAML does not print. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/** Writes texts that were read in their style, and others without quotes where this is safe. */
const TEXT: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (text) => text,
  stringify: (scalar, context, onComment, onChompKeep) => {
    const { type } = scalar;
    const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
    return type === undefined || isQuoted
      ? formatText(String(scalar.value), type)
      : stringifyString(scalar, context, onComment, onChompKeep);
  },
};

type Tag = Tags[number];
type Stringify = NonNullable<ScalarTag['stringify']>;

/** Writes `[a, b]` and `{ a: b }` on one line. */
function padMapsOnly(tag: Tag): Tag {
  if (typeof tag === 'string' || !tag.collection) return tag;
  const flowCollectionPadding = tag.collection === 'map' ? ' ' : '';
  const stringify: Stringify = (node: Node, context, onComment, onChompKeep) =>
    (node as YAMLMap).toString({ ...context, flowCollectionPadding }, onComment, onChompKeep);
  return Object.assign({}, tag, { stringify });
}

/** Options for every document that is written. */
export const DOCUMENT_OPTIONS = {
  customTags: (tags: Tags): Tags => [TEXT, ...tags.map(padMapsOnly)],
  aliasDuplicateObjects: false,
} satisfies SchemaOptions & CreateNodeOptions;

function formatText(text: string, style: string | undefined): string {
  if (style === undefined && PLAIN.test(text)) return text;
  const isPrintable = /^[^\\\p{Cc}\p{Cs}\u2028\u2029\ufeff]*$/u.test(text);
  if (style === Scalar.QUOTE_SINGLE && isPrintable) return `'${text.replaceAll("'", "''")}'`;
  const escapeOne = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(UNPRINTABLE, escapeOne);
}

/**
 * Formats a document with the indentation and the line ends of an earlier text. The result is
 * unchanged when it is read and formatted again. A JSON text stays one.
 */
export function formatDocument(document: Document, earlier = ''): string {
  const formatted =
    tryParseJson(earlier) === undefined
      ? document.toString(chooseLayout(earlier))
      : formatJson(document, earlier);
  // A comment ends with the carriage return of its line.
  return earlier.includes('\r\n') ? formatted.replace(/\r*\n/g, '\r\n') : formatted;
}

function chooseLayout(earlier: string): ToStringOptions {
  const [, indent = '  '] = /^[^\s#-][^\n]*:\s*(?:#[^\n]*)?\r?\n( +)[^\s#-]/m.exec(earlier) ?? [];
  const hasFlatLists = /^[^\s#-][^\n]*:\s*(?:#[^\n]*)?\r?\n- /m.test(earlier);
  return { lineWidth: 0, indent: indent.length, indentSeq: !hasFlatLists };
}

function formatJson(document: Document, earlier: string): string {
  const [, indent] = /^\s*\{\r?\n([ \t]+)/.exec(earlier) ?? [];
  return `${JSON.stringify(document.toJS(), null, indent)}${earlier.endsWith('\n') ? '\n' : ''}`;
}
