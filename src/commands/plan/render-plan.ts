import { isObject } from '../../kernel/is-object.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ASCII_GLYPHS } from '../../output/glyphs.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure, type Measure, truncateText } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { diffRecords } from '../../settings/differ.ts';
import type { Change, Plan, PlanSummary, Sign } from '../../settings/plan.ts';
import type { Kind } from '../../settings/settings.ts';
import type { Context } from '../context.ts';

/** The parts of a plan that are shown. Saved plans have them too. */
export type ShownPlan = Pick<Plan, 'target' | 'changes' | 'predicted' | 'notRestored' | 'summary'>;

interface PrintOptions {
  /** Default: the changes will be made. */
  readonly purpose?: Purpose;
  readonly fields?: object;
}

/** Prints a plan as text, or as data in the documented format. @param name name of the settings file */
export async function printPlan(
  context: Context,
  plan: ShownPlan,
  name: string,
  { purpose = 'plan', fields }: PrintOptions = {},
) {
  const { target, changes, predicted, notRestored, summary } = plan;
  const printer = await context.printer();
  await printer.value(
    { target, changes, predicted, notRestored, summary, ...fields },
    { renderText: (view) => renderPlan(plan, { name, purpose, view }) },
  );
}

/** Whether the changes will be made, were found in a service, or are differences between two subjects. */
type Purpose = 'plan' | 'drift' | 'comparison';

interface PlanStyle {
  readonly name: string;
  readonly purpose: Purpose;
  readonly view: View;
}

/** Renders a plan: one line per record, one per field, the predicted effects, and a count. */
export async function renderPlan(plan: ShownPlan, { name, purpose, view }: PlanStyle): Promise<string> {
  if (plan.changes.length + plan.notRestored.length === 0)
    return purpose === 'comparison' ? `${name} do not differ.\n` : `No changes. ${plan.target.url} matches ${name}.\n`;
  const palette = await loadPalette(view.color);
  const shown = JSON.stringify(plan.changes);
  const writer = new PlanWriter(view, palette, await createMeasure([[escapeForTerminal(shown)]]));
  writer.changes(plan.changes);
  writer.section('Predicted effects:', plan.predicted);
  writer.section('Not restored:', plan.notRestored);
  writer.line('', '');
  const { title, words } = PURPOSES[purpose];
  writer.line('', `${title}: ${countChanges(plan, words) || 'no changes'}`);
  return writer.text();
}

const PLANNED = {
  create: 'to create',
  update: 'to update',
  replace: 'to replace',
  delete: 'to delete',
  send: 'to send',
} as const satisfies Readonly<Record<keyof PlanSummary, string>>;

const FOUND = {
  ...PLANNED,
  create: 'missing',
  update: 'changed',
  replace: 'changed',
  delete: 'not declared',
};

const PURPOSES = {
  plan: { title: 'Plan', words: PLANNED },
  drift: { title: 'Drift', words: FOUND },
  comparison: { title: 'Differences', words: { ...FOUND, create: 'only in the second', delete: 'only in the first' } },
} as const;

/** Formats the number of records by change: `2 to create, 1 to update`. */
export function countChanges(
  { summary, changes }: Pick<ShownPlan, 'summary' | 'changes'>,
  words: Readonly<Record<keyof PlanSummary, string>> = PLANNED,
): string {
  const blocked = (sign: Sign) => new Set(changes.filter((each) => each.sign === sign).map(identify)).size;
  const counts = new Map<string, number>();
  const add = (count: number, word: string) => counts.set(word, (counts.get(word) ?? 0) + count);
  for (const [change, word] of Object.entries(words)) add(summary[change as keyof PlanSummary], word);
  add(blocked('!'), 'not possible');
  add(blocked('?'), 'not readable');
  return [...counts].flatMap(([word, count]) => (count > 0 ? [`${groupDigits(count)} ${word}`] : [])).join(', ');
}

const nounOf = (kind: Kind) => kind.replace(/s$/, '');

/** Number of created or sent records of a kind that are listed one by one. */
const MAX_LISTED = 20;
const COLLAPSED: ReadonlySet<Sign> = new Set(['+', '>']);
/** Fields that the line of a record contains already, or that only the service sets. */
const HIDDEN_FIELDS = new Set(['organizationId', 'id', 'uid', 'folderId', 'documentId', 'createdAt', 'updatedAt']);
const MAX_VALUE = 72;
const MIN_VALUE = 12;

function identify({ kind, org, id }: Change): string {
  return JSON.stringify([kind, org, id]);
}

class PlanWriter {
  readonly #lines: string[] = [];
  readonly #view: View;
  readonly #palette: Palette;
  readonly #measure: Measure;

  constructor(view: View, palette: Palette, measure: Measure) {
    this.#view = view;
    this.#palette = palette;
    this.#measure = measure;
  }

  text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  changes(changes: readonly Change[]): void {
    const listed = new Map<string, number>();
    let record: string | undefined;
    for (const change of changes) {
      const group = JSON.stringify([change.sign, change.kind, change.org]);
      const count = (listed.get(group) ?? 0) + 1;
      listed.set(group, count);
      if (COLLAPSED.has(change.sign) && count > MAX_LISTED) continue;
      const identity = `${change.sign}${identify(change)}`;
      if (change.field === null || identity !== record) this.#record(change);
      record = identity;
      if (change.field === null) this.#recordFields(change);
      else this.#difference(change.field, change.before, change.after);
    }
    for (const [group, count] of listed) {
      const [sign, kind, org] = JSON.parse(group) as [Sign, Kind, string | null];
      if (COLLAPSED.has(sign) && count > MAX_LISTED)
        this.#signed(sign, `${formatNounCount(count - MAX_LISTED, `more ${nounOf(kind)}`)}${formatOrg(org)}`);
    }
  }

  section(title: string, sentences: readonly string[]): void {
    if (sentences.length === 0) return;
    this.line('', '');
    this.line('', title);
    for (const sentence of sentences) this.line('  ', escapeForTerminal(sentence));
  }

  /** Adds a text, wrapped between words to the width of the terminal. */
  line(indent: string, text: string): void {
    const { width } = this.#view;
    const lines = width === undefined ? [text] : wrapWords(text, width - indent.length, this.#measure, true);
    for (const line of lines) this.#lines.push(indent + line);
  }

  #record({ sign, kind, org, id, after, reason, field }: Change): void {
    const count = typeof after === 'number' && field === null ? formatNounCount(after, nounOf(kind)) : undefined;
    const name = count ?? (id === null ? kind : `${nounOf(kind)} ${id}`);
    const isOwnOrganization = kind === 'organizations';
    this.#signed(sign, `${name}${isOwnOrganization ? '' : formatOrg(org)}${reason ? `: ${reason}` : ''}`);
  }

  #signed(sign: Sign, text: string): void {
    const { good, bad, changed, dim } = this.#palette;
    const style = { '+': good, '~': changed, '-/+': bad, '-': bad, '>': dim, '!': bad, '?': changed }[sign];
    const { width } = this.#view;
    const indent = ' '.repeat(sign.length + 1);
    const shown = escapeForTerminal(text);
    const lines = width === undefined ? [shown] : wrapWords(shown, width - indent.length, this.#measure, true);
    this.#lines.push(...lines.map((line, at) => (at === 0 ? `${style(sign)} ${line}` : indent + line)));
  }

  #recordFields({ sign, before, after }: Change): void {
    if (sign === '-/+') {
      for (const { path, ...values } of diffRecords(before, after, { onlyDeclared: true }))
        if (path[0] !== 'metadata') this.#difference(path.join('.'), values.before, values.after);
    }
    const record = sign === '+' ? after : sign === '-' ? before : undefined;
    if (!isObject(record)) return;
    for (const [field, value] of Object.entries(record)) {
      if (HIDDEN_FIELDS.has(field) || value === null || value === undefined) continue;
      this.#field(`${escapeForTerminal(field)}: `, [this.#format(value)]);
    }
  }

  #difference(field: string, before: unknown, after: unknown): void {
    const isHidden = before === 'differ' && after === 'differ';
    const values = isHidden ? ['differ'] : shortenAlike(this.#format(before), this.#format(after), this.#ellipsis);
    this.#field(`${escapeForTerminal(field)}: `, values);
  }

  /** Adds a field on one line, or its values on lines of their own if they are too wide. */
  #field(label: string, values: readonly string[]): void {
    const { width = Number.POSITIVE_INFINITY, display } = this.#view;
    const arrow = display.glyphs === ASCII_GLYPHS ? '->' : '→';
    const cut = (text: string, room: number) =>
      truncateText(text, Math.max(MIN_VALUE, Math.min(MAX_VALUE, room)), this.#measure, this.#ellipsis);
    const line = `    ${label}${values.map((value) => cut(value, MAX_VALUE)).join(` ${arrow} `)}`;
    if (this.#measure(line) <= width) {
      this.#lines.push(line);
      return;
    }
    this.#lines.push(`    ${label.trimEnd()}`);
    for (const [at, value] of values.entries())
      this.#lines.push(
        at === 0 ? `      ${cut(value, width - 6)}` : `      ${arrow} ${cut(value, width - 7 - arrow.length)}`,
      );
  }

  get #ellipsis(): string {
    return this.#view.display.glyphs.ellipsis;
  }

  #format(value: unknown): string {
    return escapeForTerminal(JSON.stringify(value ?? null));
  }
}

function formatOrg(org: string | null): string {
  return org === null ? '' : ` (${org})`;
}

/** Removes a long common start of two long values, so that their difference stays visible when they are shortened. */
function shortenAlike(before: string, after: string, ellipsis: string): readonly string[] {
  if (Math.max(before.length, after.length) <= MAX_VALUE) return [before, after];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const start = same - MIN_VALUE;
  if (start <= MIN_VALUE) return [before, after];
  return [before, after].map((text) => ellipsis + text.slice(start));
}
