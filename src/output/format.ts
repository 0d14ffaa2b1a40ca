export const FORMATS = ['table', 'json', 'yaml', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];
