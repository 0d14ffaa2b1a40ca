import { groupDigits } from '../../kernel/plural.ts';
import type { View } from '../../output/renderer.ts';
import type { Plan, PlanSummary, Sign } from '../../settings/plan.ts';
import type { Context } from '../context.ts';
import { createLayout, identify, type Layout, renderChanges } from './render-changes.ts';

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
  const layout = await createLayout(view, changes, {
    file: purpose === 'drift' ? name : undefined,
  });
  const lines = [
    ...renderChanges(changes, layout).flatMap((block) => block.lines),
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

function renderSection(
  title: string,
  sentences: readonly string[],
  layout: Layout,
): readonly string[] {
  return sentences.length === 0
    ? []
    : ['', title, ...sentences.flatMap((sentence) => layout.wrap(sentence, '  '))];
}
