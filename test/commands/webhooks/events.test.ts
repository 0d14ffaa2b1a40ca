import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, EVENT_TYPES } from '../../../src/catalog/events.ts';
import { renderEventTypes } from '../../../src/commands/webhooks/events.ts';
import { PIPE_DISPLAY } from '../../../src/output/display-options.ts';

function drawn(width: number | undefined, marks = true): Promise<string> {
  const display = { ...PIPE_DISPLAY, isInteractive: width !== undefined, useMarks: marks };
  return renderEventTypes(EVENT_TYPES, { headers: true, color: false, isTerminal: width !== undefined, width, display });
}

describe('event types on a terminal', () => {
  it('are a table if it fits, and in a pipe', async () => {
    for (const width of [undefined, 120]) expect((await drawn(width)).split('\n')).toHaveLength(EVENT_TYPES.length + 2);
  });

  it('are grouped with one line each at 80 columns', async () => {
    const lines = (await drawn(80)).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '✓ on by default  @ also sent by email',
      '',
      'thread',
      '  ✓@ comment_annotation.add                 a comment thread was started',
    ]);
    const groups = new Set(EVENT_TYPES.map(({ group }) => group)).size;
    expect(lines).toHaveLength(1 + 2 * groups + EVENT_TYPES.length + 1);
  });

  it.each([40, 60, 80])('fit %d columns without breaking names', async (width) => {
    for (const marks of [true, false]) {
      const text = await drawn(width, marks);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      for (const name of EVENT_NAMES) expect(text).toMatch(new RegExp(`(^| )${name.replaceAll('.', '\\.')}( |$)`, 'm'));
    }
  });

  it('use words instead of marks', async () => {
    const text = (await drawn(60, false)).replaceAll(/\n +/g, ' ');
    expect(text).toContain('comment_annotation.add a comment thread was started (on by default, also by email)');
    expect(text).toContain('crdt.update_data editor content changed (off by default)');
  });
});
