import type { EmulatorGrading } from '../../contract/emulators.ts';
import type { OperationVerdict, Verdict } from '../../contract/grade.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { escapeMarkdown, formatMarkdownTable } from '../../output/markdown.ts';
import { loadPalette } from '../../output/palette.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import {
  describeDecision,
  describeEmulator,
  describeFinding,
  describeListed,
  describeNotCompared,
  summarizeGrading,
  toWords,
} from './describe-grading.ts';

const VERDICTS = {
  differs: 'differs',
  agrees: 'agrees',
  agrees_on_errors: 'agrees on its errors only',
  not_compared: 'not compared',
  not_offered: 'not offered',
  not_seen: 'not seen',
} as const satisfies Record<Verdict, string>;

/** Renders findings first, then the differences that do not count, and one verdict per operation. */
export async function renderGrading(
  grading: EmulatorGrading,
  known: ReadonlySet<string>,
  view: View,
): Promise<string> {
  const { findings, listed, notCompared } = grading;
  const { bad, dim } = await loadPalette(view.color);
  const measure = await createMeasure([[escapeForTerminal(JSON.stringify(grading))]]);
  const wrap = (text: string, first: string, rest: string) => {
    const shown = escapeForTerminal(text);
    const lines =
      view.width === undefined
        ? [shown]
        : wrapWords(shown, view.width - rest.length, measure, true);
    return lines.map((line, at) => (at === 0 ? first : rest) + line);
  };
  const section = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [title, ...texts.flatMap((text) => wrap(text, '  ', '    ')), ''];
  const lines = [
    ...findings.flatMap((finding) => [
      ...wrap(describeFinding(finding), `${bad('✗')} `, '  '),
      ...wrap(describeDecision(finding), `  ${dim('')}`, '  '),
      '',
    ]),
    ...section('Not findings:', listed.map(describeListed)),
    ...section('Not compared:', notCompared.map(describeNotCompared)),
    ...groupByVerdict(grading).flatMap(({ title, operations }) => {
      const start = `${title}: `.padEnd(13);
      return wrap(
        `${operations.length} (${operations.join(', ')})`,
        start,
        ' '.repeat(start.length),
      );
    }),
    '',
    ...wrap(describeEmulator(grading), '', ''),
    ...wrap(summarizeGrading(grading, known), '', ''),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Renders the same as Markdown for an issue or the summary of a pull request.
 * @param name name of the contract file
 */
export function renderGradingMarkdown(
  grading: EmulatorGrading,
  known: ReadonlySet<string>,
  name: string,
): string {
  const { findings, listed, notCompared } = grading;
  const section = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`#### ${title}\n\n${items.map((item) => `- ${item}\n`).join('')}`];
  return [
    `### ${escapeMarkdown(name)} and the embedded service\n`,
    `${escapeMarkdown(describeEmulator(grading))}\n`,
    `${escapeMarkdown(summarizeGrading(grading, known))}\n`,
    ...section(
      'Findings',
      findings.map((finding) =>
        [describeFinding(finding), describeDecision(finding)].map(escapeMarkdown).join('\n  '),
      ),
    ),
    ...section('Not findings', listed.map(describeListed).map(escapeMarkdown)),
    ...section('Not compared', notCompared.map(describeNotCompared).map(escapeMarkdown)),
    formatMarkdownTable(
      ['Verdict', 'Count', 'Operations'],
      groupByVerdict(grading).map(({ title, operations }) => [
        title,
        String(operations.length),
        operations.join(', '),
      ]),
    ),
  ].join('\n');
}

function groupByVerdict({ verdicts }: { readonly verdicts: readonly OperationVerdict[] }) {
  return Object.entries(VERDICTS).flatMap(([verdict, title]) => {
    const members = verdicts.filter((each) => each.verdict === verdict);
    const operations = members.map(({ operation }) => toWords(operation));
    return operations.length === 0 ? [] : [{ title, operations }];
  });
}
