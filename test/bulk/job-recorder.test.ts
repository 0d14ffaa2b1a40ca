import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { JobCounters } from '../../src/bulk/job-counters.ts';
import { JobRecorder } from '../../src/bulk/job-recorder.ts';
import type { JobDescription } from '../../src/bulk/journal/job-description.ts';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { Metrics } from '../../src/bulk/journal/metrics.ts';
import { NO_EXISTING } from '../../src/bulk/journal/outcomes.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { numbered } from './bulk-run.ts';

it('a recorder flushes the journal to disk once a second and at the end, not for every batch', async () => {
  const journal = await Journal.create(
    {} as JobDescription,
    join(await createTemporaryFolder(), 'journal.sqlite'),
  );
  const clock = { time: 5_000, now: () => clock.time, sleep: async () => undefined };
  const counts = { succeeded: 0, failed: 0, unknown: 0, requests: 0, retries: 0, ...NO_EXISTING };
  const tally = new JobCounters(counts);
  const recorder = new JobRecorder({
    journal,
    clock,
    counters: tally,
    metrics: new Metrics(clock.now(), undefined),
  });
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const isFlushed = async (write: () => void | Promise<void>) => {
    exec.mockClear();
    await write();
    const pragmas = exec.mock.calls.map(([sql]) => sql);
    expect(pragmas.at(-1) ?? 'pragma synchronous = normal').toBe('pragma synchronous = normal');
    return pragmas.includes('pragma synchronous = full');
  };
  const records = numbered(10);
  const flushed: boolean[] = [];
  for (const [at, after] of [0, 400, 900, 1_000, 1_500, 2_100].entries()) {
    clock.time = 5_000 + after;
    flushed.push(await isFlushed(() => recorder.recordIntent(records.slice(at, at + 1))));
  }
  expect(flushed).toEqual([false, false, false, true, false, true]);
  expect(await isFlushed(() => recorder.flush('durable'))).toBe(true);
  exec.mockRestore();
  journal.close();
});

it('a recorder writes the intents of batches that start together in one transaction, with earlier outcomes', async () => {
  const journal = await Journal.create(
    {} as JobDescription,
    join(await createTemporaryFolder(), 'journal.sqlite'),
  );
  const clock = { now: () => 5_000, sleep: async () => undefined };
  const counts = { succeeded: 0, failed: 0, unknown: 0, requests: 0, retries: 0, ...NO_EXISTING };
  const counters = new JobCounters(counts);
  const recorder = new JobRecorder({
    journal,
    clock,
    counters,
    metrics: new Metrics(clock.now(), undefined),
  });
  const writes = vi.spyOn(journal, 'recordIntents');
  const all = numbered(6);
  const [first, second, third] = [all.slice(0, 2), all.slice(2, 4), all.slice(4)];
  const settled = () =>
    [...journal.sentBatches()].map(({ first: at, settled }) => `${at} ${settled}`);
  const started = [recorder.recordIntent(first), recorder.recordIntent(second)];
  expect(settled()).toEqual([]);
  await Promise.all(started);
  expect(settled()).toEqual(['0 false', '2 false']);
  const effort = {
    requests: 1,
    retries: 0,
    unexpectedIds: [],
    fatal: undefined,
    unanswered: undefined,
  };
  await recorder.recordResult(first, { items: [], ...effort });
  await recorder.recordIntent(third);
  expect(settled()).toEqual(['0 true', '2 false', '4 false']);
  expect(writes).toHaveBeenCalledTimes(2);
  journal.close();
});

it('a recorder leaves records that were not applied out of the speed', async () => {
  const journal = await Journal.create(
    {} as JobDescription,
    join(await createTemporaryFolder(), 'journal.sqlite'),
  );
  const clock = { now: () => 5_000, sleep: async () => undefined };
  const counts = { succeeded: 0, failed: 0, unknown: 0, requests: 0, retries: 0, ...NO_EXISTING };
  const metrics = new Metrics(clock.now(), undefined);
  const counters = new JobCounters(counts);
  const recorder = new JobRecorder({ journal, clock, counters, metrics });
  const settle = vi.spyOn(metrics, 'recordSettled');
  const [succeeded, failed, unknown, skipped, alsoSkipped] = numbered(5);
  if (!succeeded || !failed || !unknown || !skipped || !alsoSkipped) throw new Error('too few');
  const details = { message: null, code: null };
  await recorder.recordResult([succeeded, failed, unknown, skipped, alsoSkipped], {
    items: [
      { record: failed, status: 'failed', ...details },
      { record: unknown, status: 'unknown', ...details },
      { record: skipped, status: 'skipped', ...details },
      { record: alsoSkipped, status: 'skipped', ...details },
    ],
    requests: 1,
    retries: 0,
    unexpectedIds: [],
    fatal: undefined,
    unanswered: undefined,
  });
  expect(settle.mock.calls).toEqual([[5_000, 3, 2]]);
  journal.close();
});
