import { findRecordKind } from '../../catalog/record-kinds.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { isObject } from '../../kernel/json.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import { escapeForTerminal, visibleEscape } from '../../kernel/safe-text.ts';
import { ASCII_GLYPHS } from '../../output/glyphs.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure, fitsWidth, type Measure, truncateText } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { diffRecords } from '../../settings/differ.ts';
import { type Change, identifyRecord, type Sign } from '../../settings/plan.ts';
import type { RecordKind } from '../../settings/settings.ts';

const MAX_LISTED = 20;
/** Whether the line of a record contains a field already, or only the service sets it. */
function isHidden(kind: RecordKind, field: string): boolean {
  const { identity = [], serviceFields = [] } = findRecordKind(kind) ?? {};
  return (
    field === 'uid' || (field !== 'metadata' && [...identity, ...serviceFields].includes(field))
  );
}
const MAX_VALUE = 72;
const MIN_VALUE = 12;
export interface Layout {
  readonly palette: Palette;
  readonly width: number;
  readonly measure: Measure;
  readonly ellipsis: string;
  readonly arrow: string;
  readonly file: string | undefined;
  readonly maxValue: number;
  readonly maxListed: number;
  readonly cut: (text: string, room?: number) => string;
  /** Wraps a text between words. The first line starts with `first`, the others with `indent`. */
  readonly wrap: (text: string, indent: string, first?: string) => readonly string[];
}

interface LayoutOptions {
  /** Name of the file whose values are compared with the service, in place of an arrow. */
  readonly file?: string | undefined;
  /** Maximum length of a value. */
  readonly maxValue?: number;
  /** Maximum number of created or sent records of a kind to list. */
  readonly maxListed?: number;
  /** Other texts in the same layout. */
  readonly texts?: readonly string[];
}

export async function createLayout(
  { width = Number.POSITIVE_INFINITY, color, display }: View,
  changes: readonly Change[],
  { file, maxValue = MAX_VALUE, maxListed = MAX_LISTED, texts = [] }: LayoutOptions = {},
): Promise<Layout> {
  const { ellipsis } = display.glyphs;
  const measure = await createMeasure([[JSON.stringify(changes), ...texts].map(escapeForTerminal)]);
  return {
    palette: await loadPalette(color),
    width,
    measure,
    ellipsis,
    arrow: display.glyphs === ASCII_GLYPHS ? '->' : '→',
    file,
    maxValue,
    maxListed,
    cut: (text, room = maxValue) =>
      truncateText(text, Math.max(MIN_VALUE, Math.min(maxValue, room)), measure, ellipsis),
    wrap(text, indent, first = indent) {
      const shown = escapeForTerminal(text);
      const lines = Number.isFinite(width)
        ? wrapWords(shown, width - indent.length, measure, true)
        : [shown];
      return lines.map((line, at) => (at === 0 ? first : indent) + line);
    },
  };
}

/** The lines about one record, or about several that are only counted. */
export interface ChangeBlock {
  readonly changes: readonly Change[];
  readonly lines: readonly string[];
}

/** Renders one line per record and one per field. */
export function renderChanges(changes: readonly Change[], layout: Layout): readonly ChangeBlock[] {
  const many = changes.filter(({ sign }) => sign === '+' || sign === '>');
  const groups = Map.groupBy(many, ({ sign, kind, org }) => JSON.stringify([sign, kind, org]));
  const collapsed = Array.from(groups.values(), (group) => group.slice(layout.maxListed));
  const unlisted = new Set(collapsed.flat());
  const blocks = groupByRecord(changes.filter((change) => !unlisted.has(change))).map((group) => ({
    changes: group,
    lines: renderBlock(group, layout),
  }));
  const more = collapsed.flatMap((group) => {
    const [change] = group;
    if (!change) return [];
    const count = formatNounCount(group.length, `more ${nounOf(change.kind)}`);
    const lines = renderSigned(change.sign, count + formatOrg(change.org), layout);
    return [{ changes: group, lines }];
  });
  return [...blocks, ...more];
}

/** Groups the changed fields of a record. A change of a whole record is a group of its own. */
function groupByRecord(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let record: string | undefined;
  for (const change of changes) {
    const before = record;
    record = `${change.sign}${identifyRecord(change)}`;
    if (change.field !== null && before === record) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function renderBlock(changes: readonly Change[], layout: Layout): readonly string[] {
  return changes.flatMap((change, at) => [
    ...(at === 0 ? renderRecord(change, layout) : []),
    ...(change.field === null
      ? renderFields(change, layout)
      : renderDifference(change.field, change, layout)),
  ]);
}

function renderRecord(
  { sign, kind, org, id, after, reason, field }: Change,
  layout: Layout,
): readonly string[] {
  const count =
    typeof after === 'number' && field === null ? formatNounCount(after, nounOf(kind)) : undefined;
  const name = count ?? (id === null ? pluralize(nounOf(kind)) : `${nounOf(kind)} ${quoteId(id)}`);
  const shownOrg = kind === 'organizations' ? '' : formatOrg(org);
  return renderSigned(sign, `${name}${shownOrg}${reason ? `: ${reason}` : ''}`, layout);
}

function renderSigned(sign: Sign, text: string, { palette, wrap }: Layout): readonly string[] {
  const { good, bad, changed, dim } = palette;
  const style = { '+': good, '~': changed, '-/+': bad, '-': bad, '>': dim, '!': bad, '?': changed }[
    sign
  ];
  return wrap(text, ' '.repeat(sign.length + 1), `${style(sign)} `);
}

function renderFields({ sign, kind, before, after }: Change, layout: Layout): readonly string[] {
  if (sign === '-/+') {
    const shown = diffRecords(before, after).filter(({ path }) => path[0] !== 'metadata');
    return shown.flatMap(({ path, ...values }) => renderDifference(path.join('.'), values, layout));
  }
  const record = sign === '+' || sign === '>' ? after : sign === '-' ? before : undefined;
  const fields = Object.entries(isObject(record) ? record : {});
  const shown = fields.filter(
    ([field, value]) => !isHidden(kind, field) && value !== null && value !== undefined,
  );
  return shown.flatMap(([field, value]) => renderField(field, [formatValue(value)], layout));
}

function renderDifference(
  field: string,
  { before, after }: Pick<Change, 'before' | 'after'>,
  layout: Layout,
): readonly string[] {
  if (before === 'differ' && after === 'differ') return renderField(field, ['differ'], layout);
  if (layout.file !== undefined) return renderSides(field, { before, after }, layout, layout.file);
  return renderField(field, shortenAlike(...formatValues(before, after), layout), layout);
}

/** Renders the value in a file and the one in the service. */
function renderSides(
  field: string,
  { before, after }: Pick<Change, 'before' | 'after'>,
  layout: Layout,
  file: string,
): readonly string[] {
  const { width, measure, cut } = layout;
  const label = `    ${escapeForTerminal(field)}:`;
  const ends = [` in ${escapeForTerminal(file)}`, ' in the service'];
  const values = shortenAlike(...formatValues(after, before), layout);
  const sides = values.map((value, at) => cut(value) + ends[at]);
  const line = `${label} ${sides.join(', ')}`;
  if (fitsWidth(line, width, measure)) return [line];
  const narrow = values.map(
    (value, at) => `      ${cut(value, width - 6 - measure(ends[at] ?? ''))}${ends[at]}`,
  );
  return [label, ...narrow];
}

function renderField(
  field: string,
  values: readonly string[],
  { width, measure, arrow, cut }: Layout,
) {
  const label = `    ${escapeForTerminal(field)}:`;
  const line = `${label} ${values.map((value) => cut(value)).join(` ${arrow} `)}`;
  if (fitsWidth(line, width, measure)) return [line];
  const indents = ['      ', `      ${arrow} `];
  return [
    label,
    ...values.map((value, at) => indents[at] + cut(value, width - Number(indents[at]?.length))),
  ];
}

function formatValue(value: unknown): string {
  return value === undefined ? 'unknown' : escapeForTerminal(JSON.stringify(value));
}

/** Formats two different values. Escapes what makes them different if they look alike. */
function formatValues(left: unknown, right: unknown): readonly [string, string] {
  const texts = [formatValue(left), formatValue(right)] as const;
  const [first, second] = texts.map(simplify);
  if (first !== second) return texts;
  const [shownLeft = '', shownRight = ''] = texts.map((text) =>
    text.replace(/[^ -~]/gu, visibleEscape),
  );
  return [shownLeft, shownRight];
}

/** Letters of the Cyrillic and Greek alphabets, and punctuation, with the ASCII characters they look like. */
const LOOK_ALIKES = new Map(
  [
    'аa еe оo рp сc уy хx іi јj ѕs ԁd һh АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS',
    'οo νv ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
    "\u2010- \u2011- \u2012- \u2013- \u2212- \u2018' \u2019'",
  ].flatMap((line) => line.split(' ').map(([from = '', to = '']) => [from, to] as const)),
);

/** Replaces the characters of a text with plain ones that look alike. */
function simplify(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\S ]/gu, ' ')
    .replace(/[^ -~]/gu, (character) => LOOK_ALIKES.get(character) ?? character);
}

/** Counts the records that differ. A record with several changed fields counts once. */
export function countDifferingRecords(changes: readonly Change[]): number {
  return new Set(changes.map(identifyRecord)).size;
}

const NOUNS: { readonly [Name in RecordKind]?: string } = { apiKeys: 'API key' };

function nounOf(kind: RecordKind): string {
  return NOUNS[kind] ?? kind.replace(/s$/, '');
}

function formatOrg(org: string | null): string {
  return org === null ? '' : ` (${quoteId(org)})`;
}

/**
 * Removes a long common start of two long values, so that their difference stays visible when they
 * are shortened.
 */
function shortenAlike(
  before: string,
  after: string,
  { ellipsis, maxValue }: Layout,
): readonly string[] {
  if (Math.max(before.length, after.length) <= maxValue) return [before, after];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const start = same - MIN_VALUE;
  if (start <= MIN_VALUE) return [before, after];
  return [before, after].map((text) => ellipsis + text.slice(start));
}
