import { describe, expect, it } from 'vitest';
import { parseStoredOptions } from '../../../src/commands/bulk/bulk-request.ts';

const REQUIRED = { concurrency: 'auto', onError: 'continue', duplicates: 'fail' };
const job = '20260131-094500-5f3a9c';

describe('the options of a stored job', () => {
  it('are read from the journal', () => {
    const options = JSON.parse(
      JSON.stringify({
        ...REQUIRED,
        file: ['a.csv'],
        inputFormat: 'csv',
        map: [['Name', 'name']],
        batchSize: 10,
        concurrency: 2,
        rate: 0.5,
        maxErrors: 0,
        shard: { part: 1, of: 4 },
        rejects: 'r.csv',
        results: 'r.ndjson',
      }),
    );
    expect(parseStoredOptions({ job, options })).toEqual(options);
  });

  it.each<[string, Record<string, unknown>]>([
    ['onError', { ...REQUIRED, onError: undefined }],
    ['duplicates', { ...REQUIRED, duplicates: 'all' }],
    ['concurrency', { ...REQUIRED, concurrency: 'fast' }],
    ['file', { ...REQUIRED, file: 'a.csv' }],
    ['map', { ...REQUIRED, map: [['Name']] }],
    ['batchSize', { ...REQUIRED, batchSize: 1.5 }],
    ['rate', { ...REQUIRED, rate: 0 }],
    ['shard', { ...REQUIRED, shard: '1/4' }],
    ['toString', { ...REQUIRED, toString: 'x' }],
    ['future', { ...REQUIRED, future: true }],
  ])('are rejected for an unreadable %s', (name, options) => {
    const read = () => parseStoredOptions({ job, options });
    expect(read).toThrow(`job ${job} has an option that this version of svc cannot read: ${name}`);
    expect(read).toThrow(expect.objectContaining({ failure: 'local' }));
  });
});
