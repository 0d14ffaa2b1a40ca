import type { Finding, Grading, OperationVerdict, Verdict } from '../../contract/grade.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette } from '../../output/palette.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees',
  differs: 'differs',
  not_offered: 'not offered',
  not_seen: 'not seen',
};

/** Renders findings first, then the differences that do not count, and one verdict per operation. */
export async function renderGrading(
  grading: Grading,
  known: ReadonlySet<string>,
  view: View,
): Promise<string> {
  const { findings, listed, notCompared, verdicts } = grading;
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
    ...section(
      'Not findings:',
      listed.map(
        ({ operation, outcome, path, text }) =>
          `${toWords(operation)} (${outcome}) ${path}: ${text}`,
      ),
    ),
    ...section(
      'Not compared:',
      notCompared.map(
        ({ operation, outcome, reason, seen }) =>
          `${toWords(operation)} (${outcome}): ${reason}, ${formatNounCount(seen, 'response')}`,
      ),
    ),
    ...(['differs', 'agrees', 'not_offered', 'not_seen'] as const).flatMap((verdict) =>
      describeVerdict(verdict, verdicts, wrap),
    ),
    '',
    ...wrap(summarize(grading, known), '', ''),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Describes a finding so that the sentence can be pasted into an issue. */
function describeFinding({
  operation,
  kind,
  outcome,
  path,
  recorded,
  embedded,
  seen,
}: Finding): string {
  const about = `${toWords(operation)} (${outcome}, ${formatNounCount(seen, 'response')})`;
  const other = embedded ?? 'never';
  switch (kind) {
    case 'http':
      return `${about}: HTTP ${recorded}; the embedded service responds with ${other}`;
    case 'status':
      return embedded === null
        ? `${about}: ${recorded}; the embedded service never has this status`
        : `${about}: ${recorded}; the embedded service has ${embedded} with the same message`;
    case 'envelope':
      return `${about}: envelope ${recorded}; the embedded service uses ${other}`;
    case 'field':
      return `${about} ${path}: ${recorded}; missing in the embedded service`;
    case 'type':
      return `${about} ${path}: ${recorded}; the embedded service has ${other}`;
  }
}

function describeDecision({ decision: { number, text } }: Finding): string {
  const name = /^\d+$/.test(number) ? `decision ${number}` : `the rule on ${number}`;
  return `contradicts ${name}: ${text}`;
}

function describeVerdict(
  verdict: Verdict,
  verdicts: readonly OperationVerdict[],
  wrap: (text: string, first: string, rest: string) => readonly string[],
): readonly string[] {
  const names = verdicts.filter((each) => each.verdict === verdict);
  const title = `${VERDICTS[verdict]}:`.padEnd(13);
  return names.length === 0
    ? []
    : wrap(
        `${names.length} (${names.map(({ operation }) => toWords(operation)).join(', ')})`,
        title,
        ' '.repeat(title.length),
      );
}

function summarize({ findings, listed, notCompared }: Grading, known: ReadonlySet<string>): string {
  const skipped = notCompared.reduce((sum, { seen }) => sum + seen, 0);
  const parts = [
    formatNounCount(findings.length, 'finding') + (known.size > 0 ? ', including known ones' : ''),
    `${formatNounCount(listed.length, 'other difference')}`,
    `${groupDigits(skipped)} responses not compared`,
  ];
  return `${parts.join(', ')}.`;
}

function toWords(operation: string): string {
  return operation.replaceAll('.', ' ');
}
