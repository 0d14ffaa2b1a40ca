import { groupDigits } from '../../kernel/plural.ts';
import type { View } from '../../output/renderer.ts';
import { nameInSentence, type Plan, type PlanSummary, type Sign } from '../../settings/plan.ts';
import { type NamedTarget, renderTarget } from '../connection/find-target.ts';
import { type NextCommands, renderNext } from '../render-next.ts';
import {
  type ExpiringAccess,
  isAboutAccess,
  renderAccess,
  renderExpiring,
} from './render-access.ts';
import {
  countDifferingRecords,
  createLayout,
  type Layout,
  renderChanges,
} from './render-changes.ts';

export type ShownPlan = Pick<
  Plan,
  'target' | 'changes' | 'predicted' | 'notRestored' | 'summary' | 'access'
>;

/** First and last lines of a plan. */
export interface PlanSurroundings {
  readonly target?: NamedTarget;
  readonly next?: NextCommands;
  /** Declared access that ends soon. */
  readonly expiring?: ExpiringAccess | undefined;
}

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
 * Whether the changes will be made, wait for the reader's approval, were found in a service, were made since a snapshot, or are
 * differences between two subjects.
 */
export const PURPOSES = {
  plan: { title: 'Plan', words: PLANNED },
  approval: { title: 'Plan', words: PLANNED },
  drift: { title: 'Drift', words: FOUND },
  history: { title: 'Changes', words: { ...FOUND, create: 'added', delete: 'deleted' } },
  comparison: {
    title: 'Differences',
    words: { ...FOUND, create: 'only in the second', delete: 'only in the first' },
  },
};

export type Purpose = keyof typeof PURPOSES;

/** Limits for a reader who answers for the plan: every record, and whole values. */
const COMPLETE = { maxValue: Number.POSITIVE_INFINITY, maxListed: Number.POSITIVE_INFINITY };
const MAX_ACCESS_LINES = 40;

/**
 * Renders a plan: one line per record, one per field, the predicted effects, a count, and who gains
 * or loses access.
 */
export async function renderPlan(
  plan: ShownPlan,
  {
    name,
    settingsFile,
    purpose,
    view,
    target,
    next = {},
    expiring,
  }: PlanSurroundings & {
    readonly name: string;
    /** The settings file of a saved plan. */
    readonly settingsFile?: string | undefined;
    readonly purpose: Purpose;
    readonly view: View;
  },
): Promise<string> {
  const { changes, predicted, notRestored, access } = plan;
  const isSaved = settingsFile !== undefined;
  const file = settingsFile ?? name;
  const start = target ? `${renderTarget(target, view.display.glyphs, file, isSaved)}\n\n` : '';
  const { title, words } = PURPOSES[purpose];
  const layout = await createLayout(
    purpose === 'approval' ? { ...view, width: undefined } : view,
    changes,
    {
      file: purpose === 'drift' ? name : undefined,
      texts: [JSON.stringify([access?.rows, expiring?.grants])],
      ...(purpose === 'approval' && COMPLETE),
    },
  );
  const end = expiring ? renderExpiring(expiring, layout) : [];
  if (changes.length + notRestored.length === 0) {
    const same = `No changes: ${nameInSentence(plan.target)} matches ${name}.`;
    return purpose === 'comparison'
      ? `${name} do not differ.\n`
      : [`${start}${same}`, ...end].map((line) => `${line}\n`).join('');
  }
  const lines = [
    ...renderChanges(changes, layout).flatMap((block) => block.lines),
    ...renderSection('Predicted effects:', predicted, layout),
    ...renderSection('Not restored:', notRestored, layout),
    '',
    ...layout.wrap(`${title}: ${countChanges(plan, words) || 'no changes'}`, ''),
    ...(access && isAboutAccess(plan)
      ? renderAccess(
          access,
          layout,
          purpose === 'approval' ? Number.POSITIVE_INFINITY : MAX_ACCESS_LINES,
        )
      : []),
    ...end,
  ];
  const body = lines.map((line) => `${line}\n`).join('');
  return start + body.replace(/^\n/, '') + renderNext(next);
}

/** Formats the number of records by change: `2 to create, 1 to update`. */
export function countChanges(
  { summary, changes }: Pick<ShownPlan, 'summary' | 'changes'>,
  words = PLANNED,
): string {
  const blocked = (sign: Sign) =>
    countDifferingRecords(changes.filter((each) => each.sign === sign));
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
