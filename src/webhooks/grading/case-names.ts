/** In this order: what is usual, what has to be refused, what is hard to bear, and whether it was borne. */
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
