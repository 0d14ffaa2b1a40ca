/** Values that only the service knows: it chooses them when records are created. */
export interface KnownValues {
  readonly apiKey: string;
  /** Value of the last response that had a field of this name. */
  readonly last: (field: string) => string;
}

/** IDs and records that the samples of operations share. */
export const SAMPLE_ORG = { organizationId: 'acme' };
export const SAMPLE_DOCUMENT = { ...SAMPLE_ORG, documentId: 'd1' };
export const SAMPLE_ACTOR = { userId: 'u1' };
export const SAMPLE_NAME = { name: 'Ada', email: 'ada@example.com' };
export const SAMPLE_USER = {
  ...SAMPLE_ACTOR,
  ...SAMPLE_NAME,
  photoUrl: 'https://example.com/ada.png',
  initial: 'A',
};

export const SAMPLE_URL = 'https://example.com/hook';
export const SAMPLE_RESOURCE = {
  type: 'document',
  id: 'd1',
  ...SAMPLE_ORG,
  accessRole: 'viewer',
} as const;
