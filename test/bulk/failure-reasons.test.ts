import { describe, expect, it } from 'vitest';
import { groupByReason } from '../../src/bulk/failure-reasons.ts';
import type { UnsuccessfulRecord } from '../../src/bulk/journal/outcomes.ts';
import { createRecordLocator } from '../../src/bulk/record-position.ts';

const item = (
  at: number,
  message: string | null,
  beside: Partial<UnsuccessfulRecord> = {},
): UnsuccessfulRecord => ({
  at,
  id: `u${at}`,
  line: at + 1,
  status: 'failed',
  message,
  code: 'not-found',
  ...beside,
});

const place = createRecordLocator([{ name: 'users.json', first: 0 }]);

describe('reasons', () => {
  it('are grouped by message, not by record', () => {
    const items = [
      item(1, 'no user u1'),
      item(2, 'no user u2'),
      item(3, 'no user u33'),
      item(4, 'taken'),
    ];
    const open = item(5, 'no answer', { status: 'open', code: 'outcome_unknown' });
    expect(groupByReason([...items, open], place)).toEqual({
      most: [
        {
          status: 'failed',
          message: 'no user (id)',
          code: 'not-found',
          count: 2,
          examples: [
            { id: 'u1', line: 2 },
            { id: 'u2', line: 3 },
          ],
        },
        expect.objectContaining({ message: 'no user u33', count: 1 }),
        expect.objectContaining({ message: 'taken', count: 1 }),
        expect.objectContaining({ status: 'unknown', message: 'no answer' }),
      ],
      others: 0,
    });
  });

  it('are all counted, and only the most frequent are kept', () => {
    const each = Array.from({ length: 5_000 }, (_, at) => item(at, `reason ${at % 1_000}`));
    const { most, others } = groupByReason(
      [...each, ...Array.from({ length: 10 }, (_, at) => item(at, 'often'))],
      place,
    );
    expect(most).toHaveLength(20);
    expect(most.reduce((sum, { count }) => sum + count, others)).toBe(5_010);
  });

  it('mask an ID only as a whole word', () => {
    const hostile = item(1, 'a.*b is not (a.*b)', { id: 'a.*b' });
    expect(groupByReason([hostile], place).most[0]?.message).toBe('(id) is not ((id))');
  });
});
