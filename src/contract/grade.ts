import type { OperationName } from '../catalog/index.ts';
import { getEntry, manifest } from '../catalog/manifest.ts';
import { HTTP_STATUS } from '../catalog/statuses.ts';
import { compareFields, compareOthers, type OtherDifference } from './compare-outcome.ts';
import { type Contract, formatOutcome, type Outcome } from './contract.ts';
import { decisionOf, type FindingKind } from './decisions.ts';
import { typesOf } from './merge.ts';

/** A difference that makes the embedded service wrong. */
export interface Finding {
  /** Null for a finding about the service as a whole, whose kind is `options`. */
  readonly operation: OperationName | null;
  readonly kind: FindingKind | 'options';
  /** The recorded outcome: `200 success`. Null if `operation` is. */
  readonly outcome: string | null;
  /** Path of the field; null for the outcome as a whole. */
  readonly path: string | null;
  readonly recorded: string;
  /** The value of the embedded service; null if it has nothing comparable. */
  readonly embedded: string | null;
  /** Number of recorded responses with this outcome. */
  readonly seen: number;
  /** The decision of the embedded service that the recording contradicts, in a sentence. */
  readonly decision: string;
}

/** A difference that does not count as a finding. */
export interface ListedDifference extends OtherDifference {
  readonly operation: OperationName;
  readonly outcome: string;
}

export interface NotCompared {
  readonly operation: OperationName;
  readonly outcome: string;
  readonly reason: string;
  /** Number of recorded responses. */
  readonly seen: number;
}

/**
 * Result of one operation. `agrees_on_errors`: none of its successes was seen. `not_offered`: the
 * service does not know the operation. `not_compared`: all of its responses were outages or unusable.
 */
export type Verdict =
  | 'agrees'
  | 'agrees_on_errors'
  | 'differs'
  | 'not_compared'
  | 'not_seen'
  | 'not_offered';

export interface OperationVerdict {
  readonly operation: OperationName;
  readonly verdict: Verdict;
  readonly seen: number;
  readonly findings: number;
}

export interface Grading {
  readonly verdicts: readonly OperationVerdict[];
  readonly findings: readonly Finding[];
  readonly listed: readonly ListedDifference[];
  readonly notCompared: readonly NotCompared[];
}

type OperationGrading = Omit<Grading, 'verdicts'> & { readonly verdict: Verdict };

/** Compares a recorded contract with the contract of the embedded service. */
export function gradeContract(recorded: Contract, embedded: Contract): Grading {
  const graded = manifest.map(({ name }) => {
    const outcomes = recorded.operations.get(name) ?? [];
    const seen = outcomes.reduce((sum, outcome) => sum + outcome.seen, 0);
    return { name, seen, ...gradeOperation(name, outcomes, embedded.operations.get(name) ?? []) };
  });
  return {
    verdicts: graded
      .map(({ name, seen, verdict, findings }) => ({
        operation: name,
        verdict,
        seen,
        findings: findings.length,
      }))
      .toSorted((a, b) => (a.operation < b.operation ? -1 : 1)),
    findings: graded.flatMap(({ findings }) => findings),
    listed: graded.flatMap(({ listed }) => listed),
    notCompared: graded.flatMap(({ notCompared }) => notCompared),
  };
}

function gradeOperation(
  operation: OperationName,
  outcomes: readonly Outcome[],
  embedded: readonly Outcome[],
): OperationGrading {
  const nothing = { findings: [], listed: [], notCompared: [] };
  if (outcomes.length === 0) return { ...nothing, verdict: 'not_seen' };
  const isMissing = (outcome: Outcome) => isNotOffered(outcome, embedded);
  if (getEntry(operation).isDocumented === false && outcomes.every(isMissing))
    return { ...nothing, verdict: 'not_offered' };
  const graded = outcomes.map((outcome) => gradeOutcome(operation, outcome, embedded));
  const findings = graded.flatMap((each) => each.findings);
  return {
    findings,
    listed: graded.flatMap((each) => each.listed),
    notCompared: graded.flatMap((each) => each.notCompared),
    verdict:
      findings.length > 0
        ? 'differs'
        : outcomes.some(isComparedSuccess)
          ? 'agrees'
          : graded.some(({ isCompared }) => isCompared)
            ? 'agrees_on_errors'
            : 'not_compared',
  };
}

/** Whether an outcome is a success whose responses were compared. */
function isComparedSuccess({ status, envelope, examined }: Outcome): boolean {
  return (status === 'success' || envelope === 'data') && examined > 0;
}

/** Whether an outcome shows that the service does not have an operation. */
function isNotOffered({ http, status }: Outcome, embedded: readonly Outcome[]): boolean {
  if (status === 'UNIMPLEMENTED' || http === 501) return true;
  return http === 404 && !embedded.some((outcome) => outcome.http === 404);
}

/** Statuses that any operation can have at times, whatever its request is. */
const OUTAGES: readonly (string | null)[] = [
  'ABORTED',
  'CANCELLED',
  'DATA_LOSS',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'UNKNOWN',
] satisfies readonly (keyof typeof HTTP_STATUS)[];

/** Whether a failure of a bulk call reports what happened to its records, unlike an outage. */
function hasItemResults({ status, always, sometimes }: Outcome): boolean {
  return status === 'INTERNAL' && typesOf({ ...always, ...sometimes }['details']).length > 0;
}

type OutcomeGrading = Omit<Grading, 'verdicts'> & { readonly isCompared: boolean };

function gradeOutcome(
  operation: OperationName,
  outcome: Outcome,
  embedded: readonly Outcome[],
): OutcomeGrading {
  const { http, status, envelope, seen } = outcome;
  const about = { operation, outcome: formatOutcome(outcome) };
  const createFinding = (
    kind: FindingKind,
    difference: Pick<Finding, 'recorded' | 'embedded'> & { readonly path?: string },
  ): Finding => ({
    ...about,
    kind,
    path: null,
    seen,
    decision: decisionOf(operation, kind, status),
    ...difference,
  });
  const only = (part: Partial<OutcomeGrading>): OutcomeGrading => ({
    findings: [],
    listed: [],
    notCompared: [],
    isCompared: true,
    ...part,
  });
  const skip = (reason: string) =>
    only({ notCompared: [{ ...about, reason, seen }], isCompared: false });
  if (envelope === 'none' || outcome.examined === 0)
    return skip(envelope === 'none' ? 'not a response of the service' : 'no response was examined');
  const isOutage = OUTAGES.includes(status) && !hasItemResults(outcome);
  const sameStatus = embedded.filter((each) => each.status === status);
  if (sameStatus.length === 0 && isOutage) {
    const expected = HTTP_STATUS[status as keyof typeof HTTP_STATUS];
    return http === expected
      ? skip('an outage or a rate limit')
      : only({
          findings: [createFinding('http', { recorded: String(http), embedded: String(expected) })],
        });
  }
  const contradicting = isOutage ? undefined : findSameMessage(outcome, embedded);
  if (sameStatus.length === 0 || contradicting)
    return only({
      findings: [
        createFinding('status', {
          recorded: status ?? 'no status',
          embedded: contradicting ? (contradicting.status ?? 'no status') : null,
        }),
      ],
    });
  const sameHttp = sameStatus.filter((each) => each.http === http);
  const findings: Finding[] = [];
  if (sameHttp.length === 0)
    findings.push(
      createFinding('http', {
        recorded: String(http),
        embedded: list(sameStatus.map((each) => String(each.http))),
      }),
    );
  const comparable = sameHttp.length > 0 ? sameHttp : sameStatus;
  if (!comparable.some((each) => each.envelope === envelope))
    findings.push(
      createFinding('envelope', {
        recorded: envelope,
        embedded: list(comparable.map((each) => each.envelope)),
      }),
    );
  const fields = compareFields(outcome, comparable);
  const others = compareOthers(outcome, comparable);
  const unexamined = outcome.seen - outcome.examined;
  return {
    isCompared: true,
    findings: [
      ...findings,
      ...fields.findings.map(({ kind, ...difference }) => createFinding(kind, difference)),
    ],
    listed: [...fields.listed, ...others].map((difference) => ({ ...about, ...difference })),
    notCompared: [
      ...fields.notCompared.map((path) => ({ ...about, reason: `fields below ${path}`, seen })),
      ...(unexamined > 0 ? [{ ...about, reason: 'not examined', seen: unexamined }] : []),
    ],
  };
}

/**
 * Returns the outcome of the embedded service that has a message of a recorded failure, if none of
 * those with this message has the recorded status.
 */
function findSameMessage(
  { status, messages }: Outcome,
  embedded: readonly Outcome[],
): Outcome | undefined {
  for (const message of messages.filter(isDistinctive)) {
    const same = embedded.filter((each) => each.messages.includes(message));
    if (same.length > 0 && !same.some((each) => each.status === status)) return same[0];
  }
  return undefined;
}

/** Whether a message without its values still says what happened. */
function isDistinctive(message: string): boolean {
  return message.split(' ').filter((word) => !word.includes('<value>')).length > 1;
}

function list(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join(' or ');
}
