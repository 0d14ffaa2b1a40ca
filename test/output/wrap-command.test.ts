import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { wrapCommand } from '../../src/output/message-text.ts';

const COMMAND =
  "svc --local endpoints create --url https://example.com/hook --description 'New comments' --uid crm";

describe('wrapCommand', () => {
  it('keeps a command that fits on one line', () => {
    expect(wrapCommand(COMMAND, 120, stringWidth)).toEqual([`  ${COMMAND}`]);
  });

  it('breaks between words, and keeps flags next to their values', () => {
    expect(wrapCommand(COMMAND, 60, stringWidth)).toEqual([
      '  svc --local endpoints create \\',
      '    --url https://example.com/hook \\',
      "    --description 'New comments' --uid crm",
    ]);
  });

  it('breaks between the words of the command if they do not fit', () => {
    expect(
      wrapCommand(
        'svc -p prod webhooks endpoints create --url https://example.com/hook',
        40,
        stringWidth,
      ),
    ).toEqual([
      '  svc -p prod webhooks endpoints \\',
      '    create \\',
      '    --url https://example.com/hook',
    ]);
  });

  it('breaks between a flag and its value if both are wider than a line, but never within a value', () => {
    expect(
      wrapCommand("svc add --name '日本 日本' --url https://example.com/hook", 20, stringWidth),
    ).toEqual([
      '  svc add --name \\',
      "    '日本 日本' \\",
      '    --url \\',
      '    https://example.com/hook',
    ]);
  });

  it('never breaks within quotes, and loses nothing', () => {
    const words = fc.constantFrom(
      'svc',
      '--name',
      '"Ada Lovelace"',
      "'a  b'",
      'x\\ y',
      '"say \\"hi\\""',
      '|',
      '<',
    );
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1 }),
        fc.integer({ min: 10, max: 60 }),
        (all, width) => {
          const lines = wrapCommand(all.join(' '), width, stringWidth);
          expect(
            lines
              .map((line, at) => line.trim().slice(0, at < lines.length - 1 ? -2 : undefined))
              .join(' '),
          ).toBe(all.join(' '));
          expect(lines.slice(0, -1).every((line) => line.endsWith(' \\'))).toBe(true);
        },
      ),
    );
  });
});
