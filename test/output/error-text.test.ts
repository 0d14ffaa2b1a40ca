import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { renderError } from '../../src/output/error-text.ts';
import { FORMATS } from '../../src/output/format.ts';

const missing = new SvcError('not_found', "no document 'd9'", {
  status: 'NOT_FOUND',
  hint: 'svc documents list',
});

describe('an error as text', () => {
  it('is one line with the status, and a hint below', async () => {
    expect(await renderError(missing, { format: 'table', debug: false })).toBe(
      "svc: no document 'd9' (NOT_FOUND)\nhint: svc documents list\n",
    );
    expect(
      await renderError(new SvcError('usage', 'give --org'), { format: 'yaml', debug: false }),
    ).toBe('svc: give --org\n');
  });

  it('ends with the stack trace with --debug, without the messages of causes', async () => {
    const cause = Object.assign(new TypeError('bad header value s3cr3t'), {
      code: 'ERR_INVALID_CHAR',
    });
    const text = await renderError(new SvcError('bug', 'unexpected', { cause }), {
      format: 'table',
      debug: true,
    });
    expect(text).toMatch(/^svc: unexpected\n {4}at .*error-text\.test\.ts/);
    expect(text).toContain('\ncaused by TypeError ERR_INVALID_CHAR\n    at ');
    expect(text).not.toContain('s3cr3t');
  });
});

describe('an error as JSON', () => {
  it.each(['json', 'ndjson'] as const)('is one object on one line with %s', async (format) => {
    expect(await renderError(missing, { format, debug: false })).toBe(
      '{"error":{"code":"not_found","exitCode":5,"status":"NOT_FOUND","message":"no document \'d9\'","hint":"svc documents list","retryable":false}}\n',
    );
  });

  it('omits a missing hint, and has a null status', async () => {
    expect(
      JSON.parse(
        await renderError(new SvcError('locked', 'in use'), { format: 'json', debug: true }),
      ),
    ).toEqual({
      error: { code: 'locked', exitCode: 13, status: null, message: 'in use', retryable: true },
    });
  });
});

it.each(FORMATS)(
  'an error that quotes the service is safe for a terminal in %s',
  async (format) => {
    const hostile = new SvcError('unreachable', 'a\nb\u001b[2J\u009b\u202e', {
      hint: 'x\ry',
      status: 'S\u0007',
    });
    const text = await renderError(hostile, { format, debug: false });
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(format === 'json' || format === 'ndjson' ? 1 : 2);
    for (const line of lines) expect(escapeForTerminal(line)).toBe(line);
  },
);
