/** The test cases in order: valid deliveries, deliveries to reject, stress tests, and a final health check. */
export const CASE_NAMES = [
  'valid',
  'raw-body',
  'rotated-secret',
  'duplicate',
  'out-of-order',
  'unknown-event',
  'encoded',
  'encrypted',
  'slow',
  'wrong-signature',
  'wrong-token',
  'changed-body',
  'unsigned',
  'stale',
  'future',
  'cut',
  'large',
  'get',
  'afterwards',
] as const;

export type CaseName = (typeof CASE_NAMES)[number];
