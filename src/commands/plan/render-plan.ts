import { isObject } from '../../kernel/json.ts';
import { formatNounCount, groupDigits, pluralize } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ASCII_GLYPHS } from '../../output/glyphs.ts';
import { loadPalette } from '../../output/palette.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure, truncateText } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { diffRecords } from '../../settings/differ.ts';
import type { Change, Plan, PlanSummary, Sign } from '../../settings/plan.ts';
import type { RecordKind } from '../../settings/settings.ts';
import type { Context } from '../context.ts';

export type ShownPlan = Pick<Plan, 'target' | 'changes' | 'predicted' | 'notRestored' | 'summary'>;

/**
 * Prints a plan as text, or as data in the documented format.
 * @param name name of the settings file
 */
export async function printPlan(
  context: Context,
  plan: ShownPlan,
  name: string,
  {
    purpose = 'plan',
    fields,
    next,
  }: { readonly purpose?: Purpose; readonly fields?: object; readonly next?: NextCommands } = {},
) {
  const { target, changes, predicted, notRestored, summary } = plan;
  const printer = await context.printer();
  await printer.value(
    { target, changes, predicted, notRestored, summary, ...fields, ...(next && { next }) },
    { renderText: (view) => renderPlan(plan, { name, purpose, view, ...(next && { next }) }) },
  );
}

/** Command lines to run next, by what they do. */
export type NextCommands = Readonly<Record<string, string>>;

type CountWords = Readonly<Record<keyof PlanSummary, string>>;

const PLANNED: CountWords = {
  create: 'to create',
  update: 'to update',
  replace: 'to replace',
  delete: 'to delete',
  send: 'to send',
};

const FOUND = {
  ...PLANNED,
  create: 'missing',
  update: 'changed',
  replace: 'changed',
  delete: 'not declared',
};

/**
 * Whether the changes will be made, were found in a service, were made since a snapshot, or are
 * differences between two subjects.
 */
const PURPOSES = {
  plan: { title: 'Plan', words: PLANNED },
  drift: { title: 'Drift', words: FOUND },
  history: { title: 'Changes', words: { ...FOUND, create: 'added', delete: 'deleted' } },
  comparison: {
    title: 'Differences',
    words: { ...FOUND, create: 'only in the second', delete: 'only in the first' },
  },
};

type Purpose = keyof typeof PURPOSES;

/** Renders a plan: one line per record, one per field, the predicted effects, and a count. */
export async function renderPlan(
  plan: ShownPlan,
  {
    name,
    purpose,
    view,
    next = {},
  }: {
    readonly name: string;
    readonly purpose: Purpose;
    readonly view: View;
    readonly next?: NextCommands;
  },
): Promise<string> {
  const { changes, predicted, notRestored } = plan;
  if (changes.length + notRestored.length === 0)
    return purpose === 'comparison'
      ? `${name} do not differ.\n`
      : `No changes. ${plan.target.url} matches ${name}.\n`;
  const { title, words } = PURPOSES[purpose];
  const layout = await createLayout(view, changes, purpose === 'drift' ? name : undefined);
  const lines = [
    ...renderChanges(changes, layout),
    ...renderSection('Predicted effects:', predicted, layout),
    ...renderSection('Not restored:', notRestored, layout),
    '',
    ...layout.wrap(`${title}: ${countChanges(plan, words) || 'no changes'}`, ''),
    ...Object.entries(next).map(([purpose, command]) => `${purpose}: ${command}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats the number of records by change: `2 to create, 1 to update`. */
export function countChanges(
  { summary, changes }: Pick<ShownPlan, 'summary' | 'changes'>,
  words = PLANNED,
): string {
  const blocked = (sign: Sign) =>
    new Set(changes.filter((each) => each.sign === sign).map(identify)).size;
  const counts = new Map<string, number>();
  const add = (count: number, word: string) => counts.set(word, (counts.get(word) ?? 0) + count);
  for (const [change, word] of Object.entries(words))
    add(summary[change as keyof PlanSummary], word);
  add(blocked('!'), 'not possible');
  add(blocked('?'), 'not readable');
  return [...counts]
    .flatMap(([word, count]) => (count > 0 ? [`${groupDigits(count)} ${word}`] : []))
    .join(', ');
}

const MAX_LISTED = 20;
/** Fields that the line of a record contains already, or that only the service sets. */
const HIDDEN_FIELDS = new Set([
  'organizationId',
  'id',
  'uid',
  'folderId',
  'documentId',
  'createdAt',
  'updatedAt',
]);
const MAX_VALUE = 72;
const MIN_VALUE = 12;
type Layout = Awaited<ReturnType<typeof createLayout>>;

async function createLayout(
  { width = Number.POSITIVE_INFINITY, color, display }: View,
  changes: readonly Change[],
  file?: string,
) {
  const { ellipsis } = display.glyphs;
  const measure = await createMeasure([[escapeForTerminal(JSON.stringify(changes))]]);
  return {
    palette: await loadPalette(color),
    width,
    measure,
    ellipsis,
    arrow: display.glyphs === ASCII_GLYPHS ? '->' : '→',
    /** Name of the file whose values are compared with the service, in place of an arrow. */
    file,
    cut: (text: string, room: number) =>
      truncateText(text, Math.max(MIN_VALUE, Math.min(MAX_VALUE, room)), measure, ellipsis),
    /** Wraps a text between words. The first line starts with `first`, the others with `indent`. */
    wrap(text: string, indent: string, first = indent): readonly string[] {
      const shown = escapeForTerminal(text);
      const lines = Number.isFinite(width)
        ? wrapWords(shown, width - indent.length, measure, true)
        : [shown];
      return lines.map((line, at) => (at === 0 ? first : indent) + line);
    },
  };
}

function renderSection(
  title: string,
  sentences: readonly string[],
  layout: Layout,
): readonly string[] {
  return sentences.length === 0
    ? []
    : ['', title, ...sentences.flatMap((sentence) => layout.wrap(sentence, '  '))];
}

function renderChanges(changes: readonly Change[], layout: Layout): readonly string[] {
  const many = changes.filter(({ sign }) => sign === '+' || sign === '>');
  const groups = Map.groupBy(many, ({ sign, kind, org }) => JSON.stringify([sign, kind, org]));
  const collapsed = Array.from(groups.values(), (group) => group.slice(MAX_LISTED));
  const unlisted = new Set(collapsed.flat());
  let record: string | undefined;
  const lines = changes.flatMap((change) => {
    if (unlisted.has(change)) return [];
    const before = record;
    record = `${change.sign}${identify(change)}`;
    if (change.field === null)
      return [...renderRecord(change, layout), ...renderFields(change, layout)];
    const field = renderDifference(change.field, change, layout);
    return before === record ? field : [...renderRecord(change, layout), ...field];
  });
  const more = collapsed.flatMap(([change, ...others]) => {
    if (!change) return [];
    const count = formatNounCount(1 + others.length, `more ${nounOf(change.kind)}`);
    return renderSigned(change.sign, count + formatOrg(change.org), layout);
  });
  return [...lines, ...more];
}

function renderRecord(
  { sign, kind, org, id, after, reason, field }: Change,
  layout: Layout,
): readonly string[] {
  const count =
    typeof after === 'number' && field === null ? formatNounCount(after, nounOf(kind)) : undefined;
  const name = count ?? (id === null ? pluralize(nounOf(kind)) : `${nounOf(kind)} ${id}`);
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

function renderFields({ sign, before, after }: Change, layout: Layout): readonly string[] {
  if (sign === '-/+') {
    const shown = diffRecords(before, after).filter(({ path }) => path[0] !== 'metadata');
    return shown.flatMap(({ path, ...values }) => renderDifference(path.join('.'), values, layout));
  }
  const record = sign === '+' ? after : sign === '-' ? before : undefined;
  const fields = Object.entries(isObject(record) ? record : {});
  const shown = fields.filter(
    ([field, value]) => !HIDDEN_FIELDS.has(field) && value !== null && value !== undefined,
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
  return renderField(
    field,
    shortenAlike(formatValue(before), formatValue(after), layout.ellipsis),
    layout,
  );
}

/** Renders the value in a file and the one in the service. */
function renderSides(
  field: string,
  { before, after }: Pick<Change, 'before' | 'after'>,
  { width, measure, cut, ellipsis }: Layout,
  file: string,
): readonly string[] {
  const label = `    ${escapeForTerminal(field)}:`;
  const ends = [` in ${escapeForTerminal(file)}`, ' in the service'];
  const values = shortenAlike(formatValue(after), formatValue(before), ellipsis);
  const sides = values.map((value, at) => cut(value, MAX_VALUE) + ends[at]);
  const line = `${label} ${sides.join(', ')}`;
  if (measure(line) <= width) return [line];
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
  const line = `${label} ${values.map((value) => cut(value, MAX_VALUE)).join(` ${arrow} `)}`;
  if (measure(line) <= width) return [line];
  const indents = ['      ', `      ${arrow} `];
  return [
    label,
    ...values.map((value, at) => indents[at] + cut(value, width - Number(indents[at]?.length))),
  ];
}

function formatValue(value: unknown): string {
  return escapeForTerminal(JSON.stringify(value ?? null));
}

function identify({ kind, org, id }: Change): string {
  return JSON.stringify([kind, org, id]);
}

const NOUNS: { readonly [Name in RecordKind]?: string } = { apiKeys: 'API key' };

function nounOf(kind: RecordKind): string {
  return NOUNS[kind] ?? kind.replace(/s$/, '');
}

function formatOrg(org: string | null): string {
  return org === null ? '' : ` (${org})`;
}

/**
 * Removes a long common start of two long values, so that their difference stays visible when they
 * are shortened.
 */
function shortenAlike(before: string, after: string, ellipsis: string): readonly string[] {
  if (Math.max(before.length, after.length) <= MAX_VALUE) return [before, after];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const start = same - MIN_VALUE;
  if (start <= MIN_VALUE) return [before, after];
  return [before, after].map((text) => ellipsis + text.slice(start));
}
