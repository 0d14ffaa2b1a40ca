import type { EmulatorGrading } from '../../contract/emulators.ts';
import type { Finding, ListedDifference, NotCompared } from '../../contract/grade.ts';
import { formatNounCount } from '../../kernel/plural.ts';

/** Describes a finding so that the sentence can be pasted into an issue. */
export function describeFinding({
  operation,
  kind,
  outcome,
  path,
  recorded,
  embedded,
  seen,
}: Finding): string {
  const responses = formatNounCount(seen, 'response');
  const about = `${toWords(operation ?? '')} (${outcome}, ${responses})`;
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
    case 'options':
      return `the options of svc serve (${responses}): your service behaves like ${recorded}, not like ${embedded}`;
  }
}

export function describeDecision({ decision }: Finding): string {
  return `contradicts the decision that ${decision}`;
}

export function describeListed({ operation, outcome, path, text }: ListedDifference): string {
  return `${toWords(operation)} (${outcome}) ${path}: ${text}`;
}

export function describeNotCompared({ operation, outcome, reason, seen }: NotCompared): string {
  return `${toWords(operation)} (${outcome}): ${reason}, ${formatNounCount(seen, 'response')}`;
}

export function summarizeGrading(
  { findings, listed, notCompared, verdicts }: EmulatorGrading,
  known: ReadonlySet<string>,
): string {
  const unseen = verdicts.filter(({ verdict }) => verdict === 'not_seen').length;
  const skipped = notCompared.reduce((sum, { seen }) => sum + seen, 0);
  const parts = [
    formatNounCount(findings.length, 'finding') + (known.size > 0 ? ', including known ones' : ''),
    `${formatNounCount(listed.length, 'other difference')}`,
    `${formatNounCount(skipped, 'response')} not compared`,
    `${unseen} of ${verdicts.length} operations not seen`,
  ];
  return `${parts.join(', ')}.`;
}

export function describeEmulator({ emulator }: EmulatorGrading): string {
  return `your service behaves like: ${emulator}`;
}

export function toWords(operation: string): string {
  return operation.replaceAll('.', ' ');
}
