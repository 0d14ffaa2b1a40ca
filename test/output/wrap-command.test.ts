import { describe, expect, it } from 'vitest';
import { wrapCommand } from '../../src/output/wrap-command.ts';

const COMMAND = "svc --local endpoints create --url https://example.com/hook --description 'New comments' --uid crm";

describe('wrapCommand', () => {
  it('keeps a command that fits on one line', () => {
    expect(wrapCommand(COMMAND, 120)).toEqual([`  ${COMMAND}`]);
  });

  it('breaks between words, and keeps flags next to their values', () => {
    expect(wrapCommand(COMMAND, 60)).toEqual([
      '  svc --local endpoints create \\',
      '    --url https://example.com/hook \\',
      "    --description 'New comments' --uid crm",
    ]);
  });

  it('breaks between the words of the command if they do not fit', () => {
    expect(wrapCommand('svc -p prod webhooks endpoints create --url https://example.com/hook', 40)).toEqual([
      '  svc -p prod webhooks endpoints \\',
      '    create \\',
      '    --url https://example.com/hook',
    ]);
  });

  it('breaks between a flag and its value if both are wider than a line, but never within a value', () => {
    expect(wrapCommand("svc add --name '日本 日本' --url https://example.com/hook", 20)).toEqual([
      '  svc add --name \\',
      "    '日本 日本' \\",
      '    --url \\',
      '    https://example.com/hook',
    ]);
  });
});
