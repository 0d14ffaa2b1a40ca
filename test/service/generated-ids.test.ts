import { describe, expect, it } from 'vitest';
import { generateMessageId } from '../../src/service/records/secrets.ts';

describe('message IDs', () => {
  it.each([0, -1, -86_400_000, 1_731_705_121_000.25, Date.UTC(2081, 11, 31), 8.64e15])(
    'match their pattern at %d',
    (now) => {
      expect(generateMessageId(now)).toMatch(/^msg_[0-9A-Za-z]{27}$/);
    },
  );

  it('start with the time', () => {
    const [earlier, later] = [1_731_705_121_000, 1_731_705_121_001].map(generateMessageId);
    expect(Buffer.compare(Buffer.from(earlier ?? ''), Buffer.from(later ?? ''))).toBe(-1);
  });
});
