import { formatNounCount } from '../../kernel/plural.ts';
import { PIPE_DISPLAY } from '../../output/display-options.ts';
import { UNICODE_GLYPHS } from '../../output/glyphs.ts';
import { formatCodeBlock } from '../../output/markdown.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure, truncateText } from '../../output/width.ts';
import { summarize } from '../../settings/plan/build-plan.ts';
import type { Change } from '../../settings/plan.ts';
import { type NamedTarget, renderTarget } from '../connection/find-target.ts';
import { type NextCommands, renderNext } from '../render-next.ts';
import {
  type ChangeBlock,
  countDifferingRecords,
  createLayout,
  renderChanges,
} from './render-changes.ts';
import { countChanges, type ShownPlan } from './render-plan.ts';

export interface MarkdownParts {
  /** First line, without text of the service. */
  readonly title: string;
  readonly target?: NamedTarget | undefined;
  readonly settingsFile?: string;
  readonly next?: NextCommands | undefined;
  /** Lists of sentences after the changes, by their title. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
  /** Name of the file whose values are compared with the service, in place of an arrow. */
  readonly file?: string | undefined;
}

/** A comment on GitHub has at most 65,536 characters; all parts together have less. */
const MAX_CHANGES = 36_000;
const MAX_SECTION = 4_000;
const MAX_NEXT = 6_000;
const MAX_LINE = 1_000;
const MAX_VALUE = 400;

/**
 * Renders a plan as Markdown: a heading of counts, and a block of code for all else, in which no
 * name is markup, a link, or a mention. A long plan is shortened and ends with counts.
 */
export async function renderPlanMarkdown(
  { changes }: Pick<ShownPlan, 'changes'>,
  { title, target, settingsFile = '', next = {}, sections, file }: MarkdownParts,
): Promise<string> {
  const layout = await createLayout(VIEW, changes, {
    file,
    maxValue: MAX_VALUE,
    maxListed: Number.POSITIVE_INFINITY,
  });
  const body = [
    ...(target ? [renderTarget(target, UNICODE_GLYPHS, settingsFile)] : []),
    ...withGap(shortenChanges(renderChanges(changes, layout))),
    ...Object.entries(sections).flatMap(([name, sentences]) =>
      withGap(
        shortenSection(
          name,
          sentences.flatMap((each) => layout.wrap(each, '  ')),
        ),
      ),
    ),
    ...withGap(shortenNext(next)),
  ];
  const measure = await createMeasure([body]);
  const cut = body.map((line) => truncateText(line, MAX_LINE, measure, UNICODE_GLYPHS.ellipsis));
  return `### ${title}\n\n${formatCodeBlock(cut.join('\n').replace(/^\n+/, ''), 'diff')}`;
}

const VIEW: View = {
  headers: true,
  color: false,
  isTerminal: false,
  width: undefined,
  display: PIPE_DISPLAY,
};

function withGap(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Keeps the first blocks, and counts the changes of the others. */
function shortenChanges(blocks: readonly ChangeBlock[]): readonly string[] {
  const lengths = blocks.map(({ lines }) => lengthOf(lines));
  const kept = countThatFit(lengths, MAX_CHANGES);
  const rest: Change[] = blocks.slice(kept).flatMap(({ changes }) => changes);
  const shown = blocks.slice(0, kept).flatMap(({ lines }) => lines);
  if (rest.length === 0) return shown;
  const records = formatNounCount(countDifferingRecords(rest), 'more record');
  const counts = countChanges({ changes: rest, summary: summarize(rest) });
  return [...shown, `… ${records}: ${counts}`];
}

function shortenSection(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const kept = countThatFit(
    lines.map((line) => lengthOf([line])),
    MAX_SECTION,
  );
  const more = lines.length - kept;
  return [
    `${title}:`,
    ...lines.slice(0, kept),
    ...(more === 0 ? [] : [`  … ${formatNounCount(more, 'more line')}`]),
  ];
}

/** Drops commands that are too long to be shown whole. */
function shortenNext(next: NextCommands): readonly string[] {
  const lines = renderNext(next)
    .split('\n')
    .filter((line) => line !== '' && line.length <= MAX_LINE);
  return lines.slice(
    0,
    countThatFit(
      lines.map((line) => line.length + 1),
      MAX_NEXT,
    ),
  );
}

/** Length of lines in the block, in which a long line is cut. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Math.min(line.length, MAX_LINE) + 1, 0);
}

function countThatFit(lengths: readonly number[], room: number): number {
  let used = 0;
  const end = lengths.findIndex((length) => {
    used += length;
    return used > room;
  });
  return end === -1 ? lengths.length : end;
}
