import { resolve } from 'node:path';
import type { Column } from '../../catalog/define.ts';
import { manifest } from '../../catalog/manifest.ts';
import { type Contract, DEFAULT_CONTRACT_FILE, formatOutcome } from '../../contract/contract.ts';
import { readContractFile } from '../../contract/contract-file.ts';
import { groupDigits } from '../../kernel/plural.ts';
import type { View } from '../../output/renderer.ts';
import { renderTable } from '../../output/table.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { toWords } from './describe-grading.ts';

/** @throws SvcError `invalid_input` if the file is not a contract, `usage` if it does not exist */
export async function showContract(
  context: Context,
  { arguments: [name = DEFAULT_CONTRACT_FILE] }: Invocation,
): Promise<void> {
  const contract = await readContractFile(resolve(context.cwd, name), name);
  const coverage = describeCoverage(contract);
  const printer = await context.printer();
  await printer.value(coverage, { renderText: (view) => renderCoverage(coverage, view) });
}

type Coverage = ReturnType<typeof describeCoverage>;

function describeCoverage({ operations, otherPaths }: Contract) {
  const names = manifest.map(({ name }) => name).toSorted();
  const seen = names.flatMap((operation) => {
    const outcomes = operations.get(operation) ?? [];
    return outcomes.length === 0
      ? []
      : [
          {
            operation,
            seen: outcomes.reduce((sum, outcome) => sum + outcome.seen, 0),
            outcomes: outcomes.map(({ http, status, envelope, seen, messages }) => ({
              http,
              status,
              envelope,
              seen,
              messages,
            })),
          },
        ];
  });
  const notSeen = names.filter((name) => !operations.has(name));
  return { operations: seen, notSeen, otherPaths };
}

const COLUMNS: readonly Column[] = [
  { header: 'OPERATION', field: 'operation', kind: 'whole' },
  { header: 'SEEN', field: 'seen' },
  { header: 'OUTCOMES', field: 'outcomes' },
];

async function renderCoverage(
  { operations, notSeen, otherPaths }: Coverage,
  view: View,
): Promise<string> {
  const rows = operations.map(({ operation, seen, outcomes }) => ({
    operation: toWords(operation),
    seen,
    outcomes: outcomes
      .map((outcome) => `${formatOutcome(outcome)} × ${groupDigits(outcome.seen)}`)
      .join(', '),
  }));
  const table =
    rows.length > 0 ? `${await renderTable(rows, { ...view, columns: COLUMNS })}\n` : '';
  const total = operations.length + notSeen.length;
  const lines = [
    `${operations.length} of ${total} operations were seen.`,
    ...(notSeen.length > 0 ? [`Not seen: ${notSeen.map(toWords).join(', ')}`] : []),
    ...(otherPaths > 0 ? [`Calls of other paths, not recorded: ${groupDigits(otherPaths)}`] : []),
  ];
  return table + lines.map((line) => `${line}\n`).join('');
}
