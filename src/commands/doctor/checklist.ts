import type { Environment } from '../../kernel/folders.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { renderFieldList } from '../../output/field-list.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { createMarks } from '../terminal/marks.ts';
import type { DoctorFinding } from './check.ts';

export async function formatChecklist(findings: readonly DoctorFinding[], view: View, environment: Environment) {
  const { mark, colorize } = createMarks(view, environment);
  const rows = joinSkipped(findings).flatMap(({ name, state, detail, fix }) => [
    [`${colorize(state, mark(state))} ${name}`, escapeForTerminal(detail)],
    ...(fix === undefined ? [] : [['', `${colorize(state, 'fix:')} ${escapeForTerminal(fix)}`]]),
  ]);
  const measure = await createMeasure(rows);
  const layout = { measure, width: view.width ?? Number.POSITIVE_INFINITY, gap: '  ', isProse: () => true };
  return [...renderFieldList(rows, layout)].join('');
}

function joinSkipped(findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const isSkipped = ({ state }: DoctorFinding) => state === 'skipped';
  const byCause = Map.groupBy(findings.filter(isSkipped), ({ detail }) => detail);
  return findings.flatMap((finding) => {
    const { detail } = finding;
    const names = (isSkipped(finding) && byCause.get(detail)?.map(({ name }) => name)) || [];
    if (names.length < 2) return [finding];
    const joined = { ...finding, name: `${names.length} checks`, detail: `${detail}: ${names.join(', ')}` };
    return names[0] === finding.name ? [joined] : [];
  });
}
