import { describe, expect, it } from 'vitest';
import { watchRecords } from '../../../src/commands/terminal/watch-records.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { fakeContext } from '../fake-context.ts';

const READINGS = [
  [{ id: 'a', state: 'running' }],
  [{ id: 'a', state: 'running' }],
  [
    { id: 'a', state: 'done' },
    { id: 'b', state: 'done' },
  ],
];

async function watch(output: 'table' | 'ndjson', list = {}) {
  const context = await fakeContext({ options: { output, list: { all: false, ...list } } });
  const readings = READINGS.values();
  const clock = { ...systemClock, sleep: async () => undefined };
  await watchRecords(
    { ...context, clock },
    {
      read: async () => readings.next().value ?? [],
      idOf: ({ id }) => id,
      shapeOf: () => ({ columns: [{ header: 'ID', field: 'id' }] }),
      isFinal: (records) => records.every(({ state }) => state === 'done'),
    },
  );
  return context.stdout();
}

describe('watching a list', () => {
  it('prints each new or changed record once', async () => {
    expect(await watch('ndjson')).toBe(
      '{"id":"a","state":"running"}\n{"id":"a","state":"done"}\n{"id":"b","state":"done"}\n',
    );
    expect(await watch('table')).toBe('ID\na\nID\na\nb\n');
  });

  it('is not possible in an order that later records would change', async () => {
    await expect(
      watch('table', { sort: { field: 'id', isDescending: false } }),
    ).rejects.toMatchObject({ failure: 'usage', message: '--watch and --sort cannot be combined' });
  });
});
