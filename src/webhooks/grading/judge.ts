import type { Receipt } from '../post.ts';
import type { Case } from './cases.ts';
import type { Effect } from './effects.ts';
import { EXPECTATIONS } from './expectations.ts';
import type { Shipment } from './kit.ts';

/** How a receiver did in one case. */
export interface Grade {
  readonly case: string;
  readonly verdict: 'ok' | 'warn' | 'fail' | 'skipped';
  /** Of the last answer; null where none came. */
  readonly status: number | null;
  /** Milliseconds until the slowest answer. */
  readonly milliseconds: number | null;
  readonly did: string;
  readonly expected: string;
  readonly why: string;
}

/** What was seen of a receiver in one case. */
export interface Observation {
  readonly case: Case;
  readonly shipments: readonly Shipment[];
  readonly receipts: readonly Receipt[];
  /** Nothing answers since. */
  readonly isGone: boolean;
}

/** Milliseconds after which an answer comes late, though in time. */
const LATE = 5_000;

export function skippedGrade(one: Case, reason: string): Grade {
  return { ...headOf(one, false), verdict: 'skipped', status: null, milliseconds: null, did: reason };
}

/** The verdict on what was seen. `effects` are what came of the deliveries, where that can be seen. */
export function verdictOn(observation: Observation, effects?: readonly Effect[]): Grade {
  const { receipts, isGone } = observation;
  const { holds } = EXPECTATIONS[observation.case.expects];
  const milliseconds = Math.max(...receipts.map((receipt) => receipt.milliseconds));
  const answers = `${receipts.map(answerOf).join(', then ')} (${timeText(milliseconds)})`;
  const wrongEffect = effects && effectFault(observation, effects);
  const faults = [isGone ? 'nothing answers since' : undefined, wrongEffect].filter((fault) => fault !== undefined);
  const isLate = milliseconds > LATE;
  const did = [answers, ...faults, ...(isLate ? ['that is late'] : [])].join('; ');
  const verdict = faults.length > 0 || !receipts.every(holds) ? 'fail' : isLate ? 'warn' : 'ok';
  return {
    ...headOf(observation.case, effects !== undefined),
    verdict,
    status: receipts.at(-1)?.status ?? null,
    milliseconds,
    did,
  };
}

function headOf({ name, why, expects }: Case, showsEffects: boolean) {
  const { says, applied } = EXPECTATIONS[expects];
  const effect = showsEffects && applied !== undefined ? [`, ${applied === 1 ? 'applied once' : 'not applied'}`] : [];
  return { case: name, expected: [says, ...effect].join(''), why };
}

function answerOf(receipt: Receipt): string {
  return receipt.status === null ? receipt.error : String(receipt.status);
}

function timeText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** What is wrong with what came of the deliveries of a case. */
function effectFault({ case: { expects }, shipments }: Observation, effects: readonly Effect[]): string | undefined {
  const { applied } = EXPECTATIONS[expects];
  if (applied === undefined) return undefined;
  for (const { id, event } of shipments) {
    const own = effects.filter((effect) => effect.id === id);
    const misread = own.find((effect) => effect.event !== undefined && effect.event !== event);
    if (applied === 0 && own.length > 0) return 'it was applied';
    if (own.length < applied) return 'it was not applied';
    if (own.length > applied) return `it was applied ${own.length} times`;
    if (misread) return `it was applied as '${misread.event}' instead of '${event}'`;
  }
  return undefined;
}
