import { FEATURES } from '../catalog/define.ts';
import type { ServiceOptions } from '../service/app.ts';
import type { Contract } from './contract.ts';
import { OPTIONS_DECISION } from './decisions.ts';
import { type Finding, type Grading, gradeContract } from './grade.ts';

/** An embedded service, as the command that starts it. */
interface Emulator {
  readonly command: string;
  readonly options: ServiceOptions;
}

const PLAIN: Emulator = { command: 'svc serve', options: {} };

/** Embedded services with the options that change responses. The fewest options come first. */
const EMULATORS: readonly Emulator[] = [false, true]
  .flatMap((strict) => subsetsOf(FEATURES).map((without) => ({ strict, without })))
  .map((options) => ({ command: formatCommand(options), options }))
  .toSorted((a, b) => a.command.length - b.command.length)
  .filter(({ command }) => command !== PLAIN.command);

/** A grading, and the command of the embedded service that was compared. */
export interface EmulatorGrading extends Grading {
  readonly emulator: string;
}

/**
 * Compares a recorded contract with the embedded service that is most like the recorded one. If that
 * is not `svc serve` without options, this is a finding too.
 * @param play returns the contract of the embedded service with these options
 */
export async function gradeAgainstEmulators(
  recorded: Contract,
  play: (options: ServiceOptions) => Promise<Contract>,
): Promise<EmulatorGrading> {
  const plain = gradeContract(recorded, await play(PLAIN.options));
  let best: EmulatorGrading = { emulator: PLAIN.command, ...plain };
  for (const { command, options } of EMULATORS) {
    if (best.findings.length === 0) break;
    const grading = gradeContract(recorded, await play(options));
    // The finding about the options stands for the findings that they explain.
    if (grading.findings.length < best.findings.length) best = { emulator: command, ...grading };
  }
  if (best.emulator === PLAIN.command) return best;
  const explained = plain.findings.filter((finding) => !includesFinding(best.findings, finding));
  const finding: Finding = {
    operation: null,
    kind: 'options',
    outcome: null,
    path: null,
    recorded: best.emulator,
    embedded: PLAIN.command,
    seen: explained.reduce((sum, { seen }) => sum + seen, 0),
    decision: OPTIONS_DECISION,
  };
  return { ...best, findings: [finding, ...best.findings] };
}

function includesFinding(findings: readonly Finding[], { operation, outcome, path }: Finding) {
  return findings.some(
    (each) => each.operation === operation && each.outcome === outcome && each.path === path,
  );
}

function subsetsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const subsets: (readonly Item[])[] = [[]];
  for (const item of items) subsets.push(...subsets.map((subset) => [...subset, item]));
  return subsets;
}

function formatCommand({ strict = false, without = [] }: ServiceOptions): string {
  return [
    PLAIN.command,
    ...(strict ? ['--strict'] : []),
    ...(without.length > 0 ? ['--without', without.join()] : []),
  ].join(' ');
}
