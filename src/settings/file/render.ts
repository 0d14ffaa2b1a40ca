import { Scalar, type ScalarTag, stringify } from 'yaml';
import { isObject } from '../../kernel/json.ts';

/** Text that YAML 1.1 and 1.2 read as a string without quotes, in both styles. */
const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][\w./@-]*(?:[ :][\w./@-]+)*$/i;
/** Characters that JSON does not escape and that YAML does not print. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

export function renderScalar(value: unknown, style?: string | null): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (style !== Scalar.QUOTE_DOUBLE && style !== Scalar.QUOTE_SINGLE && PLAIN.test(value))
    return value;
  const isPrintable = /^[^\\\p{Cc}\p{Cs}\u2028\u2029\ufeff]*$/u.test(value);
  if (style === Scalar.QUOTE_SINGLE && isPrintable) return `'${value.replaceAll("'", "''")}'`;
  const escapeOne = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNPRINTABLE, escapeOne);
}

export function renderFlow(value: unknown, style?: string | null): string {
  if (Array.isArray(value)) return `[${value.map((item) => renderFlow(item, style)).join(', ')}]`;
  if (!isObject(value)) return renderScalar(value, style);
  const fields = Object.entries(value).map(
    ([name, inner]) => `${renderScalar(name, style)}: ${renderFlow(inner, style)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

const TEXT: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (text) => text,
  stringify: ({ value }) => renderScalar(value),
};

export function renderBlock(value: unknown): readonly string[] {
  return stringify(value, {
    customTags: (tags) => [TEXT, ...tags],
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
    .replace(/\n$/, '')
    .split('\n');
}
