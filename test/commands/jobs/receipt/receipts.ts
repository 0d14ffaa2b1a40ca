import type { JobReceipt } from '../../../../src/commands/jobs/receipt/read-receipt.ts';

/** The receipt of a job of 1,000 users that took ten seconds. */
export const RECEIPT: JobReceipt = {
  id: '20260131-094500-5f3a9c',
  operation: 'users.add',
  state: 'done',
  input: 'users.csv',
  inputs: [{ name: 'users.csv', format: 'csv', bytes: 61_000, sha256: 'ab'.repeat(32) }],
  data: { organizationId: 'acme' },
  options: { file: 'users.csv', concurrency: 'auto' },
  target: { profile: 'prod', origin: 'https://api.example.com', apiKey: 'key-1' },
  counts: { total: 1_000, succeeded: 997, failed: 3, unknown: 0, skipped: 0, existing: 0 },
  times: {
    startedAt: '2026-01-31T09:45:00.000Z',
    endedAt: '2026-01-31T09:45:10.500Z',
    seconds: 10.5,
  },
  runs: 1,
  requests: 12,
  retries: 1,
  waits: { count: 1, seconds: 3.25 },
  latency: { p50: 40, p90: 80, p99: 1_250, max: 1_250 },
  series: {
    seconds: 1,
    points: [100, 200, 200, 0, 0, 0, 100, 100, 150, 100, 50].map((settled, at) => ({
      settled,
      failed: at === 2 ? 3 : 0,
      requests: settled / 50,
      milliseconds: settled * 2,
      inFlight: settled > 0 ? 4 : 0,
    })),
  },
  reasons: {
    most: [
      {
        status: 'failed',
        message: 'no such folder',
        code: 'not-found',
        count: 3,
        examples: [{ id: 'u5', line: 6 }],
      },
    ],
    others: 0,
  },
  user: 'ada',
  agent: null,
  ci: null,
  trace: null,
  approvedBy: [],
  lostInput: null,
  organizations: [
    { id: 'acme', total: 998, succeeded: 995, failed: 3 },
    { id: 'Acme Ltd', total: 2, succeeded: 2, failed: 0 },
  ],
  rejects: 'users.rejects.csv',
};
