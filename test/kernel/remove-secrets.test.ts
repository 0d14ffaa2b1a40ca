import { describe, expect, it } from 'vitest';
import { removeSecrets } from '../../src/kernel/remove-secrets.ts';

describe('removeSecrets', () => {
  it.each([
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer <removed>'],
    ['use bearer abcdefgh12345678 here', 'use bearer <removed> here'],
    ['my password=hunter22, ok', 'my password=<removed>, ok'],
    ['{"apiKey":"abc12345"}', '{"apiKey":"<removed>"}'],
    ['https://ada:pw@example.com/', 'https://<removed>@example.com/'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----.', '<removed>.'],
    ['the secret: patience, and a basic understanding of tokens', undefined],
    ['a token of thanks at 10:45', undefined],
  ])('finds secrets in the text %j, and leaves ordinary text', (text, cleaned = text) => {
    expect(removeSecrets({ text })).toEqual({
      value: { text: cleaned },
      removed: cleaned === text ? 0 : 1,
    });
  });

  it('replaces every text in a field whose name says that it is secret', () => {
    const value = { credentials: [{ user: 'ada', days: 3 }], authToken: 'x', password: '' };
    expect(removeSecrets(value)).toEqual({
      value: {
        credentials: [{ user: '<removed>', days: 3 }],
        authToken: '<removed>',
        password: '',
      },
      removed: 2,
    });
  });

  it.each(['token ', 'bearer ', 'eyJa.', '\\', '-----BEGIN ', '?key=', 'secret='])(
    'takes linear time for a long text of %j',
    (part) => {
      const text = part.repeat(300_000 / part.length);
      const start = performance.now();
      removeSecrets(text);
      expect(performance.now() - start).toBeLessThan(5_000);
    },
  );
});
