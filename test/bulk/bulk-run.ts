import type { Block } from '../../src/bulk/batches.ts';
import { type BulkJob, type BulkWorld, runBulk } from '../../src/bulk/engine.ts';
import { createLimiter } from '../../src/bulk/limiter/limiter.ts';
import type { BatchOutcome, RequestKind, Stop } from '../../src/bulk/outcome.ts';
import type { BulkRecord, ItemResult } from '../../src/bulk/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { SvcError } from '../../src/kernel/errors.ts';

export const recordsOf = (ids: readonly string[]): BulkRecord[] =>
  ids.map((id, index) => {
    const json = JSON.stringify({ id });
    return { id, index, line: index + 1, value: { id }, text: id, jsonLine: json, json };
  });
export const numbered = (count: number) => recordsOf(Array.from({ length: count }, (_, at) => `u${at}`));

const EFFORT = { milliseconds: 1, limited: false, failed: false, retries: 0, waits: 0, waited: 0 };
export const success = (batch: Block) => Object.fromEntries(batch.map(({ id }) => [id, { success: true }]));
export const answered = (reply: unknown): BatchOutcome => ({ kind: 'answered', reply, ...EFFORT });
export const failedBy = (
  kind: 'refused' | 'hopeless',
  error = new SvcError('invalid_argument', 'bad'),
): BatchOutcome => ({ kind, error, ...EFFORT });
export const lost = (
  by: 'service' | 'way',
  again: 'now' | 'resumed' | 'never',
  error = new SvcError('outcome_unknown', 'no answer'),
): BatchOutcome => ({ kind: 'unknown', error, by, again, ...EFFORT });

export interface Ran {
  readonly stop: Stop | undefined;
  /** What became of each record, once it was settled; successes too. */
  readonly items: readonly ItemResult[];
  readonly strangers: readonly string[];
  readonly requests: number;
  readonly sent: readonly (readonly string[])[];
}

interface Running extends Partial<Omit<BulkJob, 'records' | 'limits'>> {
  readonly records: BulkJob['records'];
  readonly batchSize?: number;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly intend?: BulkWorld['ledger']['intend'];
  readonly look?: BulkWorld['look'];
}

type Send = (batch: Block, index: number, kind: RequestKind) => BatchOutcome | Promise<BatchOutcome>;

/** Runs a job against a scripted service. Pauses take no time. */
export async function run(
  { records, batchSize = 2, concurrency = 1, signal, intend, look, ...job }: Running,
  send: Send,
): Promise<Ran> {
  const items: ItemResult[] = [];
  const sent: string[][] = [];
  const strangers: string[] = [];
  let requests = 0;
  const stop = await runBulk(
    { records, limits: { records: batchSize, characters: 1e6 }, wanted: 'all', ...job },
    {
      signal: signal ?? new AbortController().signal,
      limiter: createLimiter({ concurrency, most: concurrency, clock: systemClock }),
      pause: async () => undefined,
      look,
      ledger: {
        intend: (batch) => intend?.(batch),
        settle: async (_, delivered) => {
          items.push(...delivered.items);
          strangers.push(...delivered.strangers);
          requests += delivered.requests;
        },
      },
      send: async (batch, kind) => {
        sent.push(batch.map(({ id }) => id));
        return send(batch, sent.length - 1, kind);
      },
    },
  );
  return { stop, items, strangers, requests, sent };
}

export const statuses = ({ items }: Ran) => items.map(({ record, status }) => `${record.id} ${status}`);
