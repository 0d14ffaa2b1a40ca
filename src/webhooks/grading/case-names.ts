const VALID = [
  'valid',
  'raw-body',
  'rotated-secret',
  'duplicate',
  'out-of-order',
  'unknown-event',
] as const;
const PACKED = ['encoded', 'encrypted', 'slow'] as const;
const INVALID = [
  'wrong-signature',
  'wrong-token',
  'changed-body',
  'unsigned',
  'stale',
  'future',
] as const;
/**
 * The test cases in order: valid deliveries, deliveries to reject, stress tests, and a final health
 * check.
 */
export const CASE_NAMES = [
  ...VALID,
  ...PACKED,
  ...INVALID,
  'cut',
  'large',
  'get',
  'afterwards',
] as const;
export type CaseName = (typeof CASE_NAMES)[number];
