export const FORMATS = ['table', 'json', 'yaml', 'csv', 'ndjson', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];
