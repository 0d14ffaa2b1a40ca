import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapMessage } from '../../src/output/message-text.ts';
import { SLOW } from '../slow.ts';

const COMMAND = 'svc -p prod documents list --org acme';

describe('a message on a terminal', () => {
  it('breaks between words, never inside a path, URL, or command', async () => {
    expect(await wrapMessage(['hint: check that https://example.com/a/path is running'], 30)).toBe(
      'hint: check that\nhttps://example.com/a/path is\nrunning',
    );
    expect(await wrapMessage(['to see them: ', { command: COMMAND }, ' lists them'], 40)).toBe(
      `to see them:\n${COMMAND}\nlists them`,
    );
  });

  it('continues a command that is longer than a line with a backslash', async () => {
    expect(await wrapMessage(['to see them: ', { command: COMMAND }, ' lists them'], 30)).toBe(
      'to see them:\n  svc -p prod documents list \\\n    --org acme\nlists them',
    );
    expect(await wrapMessage(['add some with: ', { command: COMMAND }], 30)).toBe(
      'add some with:\n  svc -p prod documents list \\\n    --org acme',
    );
    expect(await wrapMessage(['svc: svc jobs list does not support --local'], 30)).toBe(
      'svc: svc jobs list does not\nsupport --local',
    );
  });

  it('stays as it is if it fits, or is indented as part of a layout', async () => {
    for (const text of ['two  words', `  ${COMMAND} \\`])
      expect(await wrapMessage([text], 20)).toBe(text);
  });

  it('keeps all words, and exceeds the width only with a single one', SLOW, async () => {
    const word = fc.stringMatching(/^[a-z./:四半]{1,30}$/);
    const text = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text),
        fc.integer({ min: 10, max: 60 }),
        async (sentences, width) => {
          const wrapped = await wrapMessage(sentences, width);
          expect(wrapped.replace(/\s/g, '')).toBe(sentences.join('').replace(/\s/g, ''));
          for (const line of wrapped.split('\n'))
            expect(line.includes(' ') && line.length > width).toBe(false);
        },
      ),
    );
  });
});
