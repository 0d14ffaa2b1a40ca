import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { FAILURES, SvcError, systemErrorCode } from '../../src/kernel/errors.ts';

describe('FAILURES', () => {
  it('have the exit codes that scripts rely on', () => {
    const codes = new Map<number, string[]>();
    for (const [failure, { exitCode }] of Object.entries(FAILURES)) {
      codes.set(exitCode, [...(codes.get(exitCode) ?? []), failure]);
    }
    expect(Object.fromEntries(codes)).toEqual({
      1: ['bug'],
      2: ['usage'],
      3: ['invalid_input', 'invalid_argument', 'already_exists'],
      4: [
        'no_credential',
        'unauthenticated',
        'permission_denied',
        'approval_required',
        'read_only',
      ],
      5: ['not_found'],
      6: ['failed_precondition'],
      7: ['resource_exhausted'],
      8: ['unreachable', 'invalid_response'],
      9: ['outcome_unknown'],
      10: ['records_failed'],
      11: ['stopped'],
      12: ['local'],
      13: ['locked'],
      14: ['verification_failed'],
      15: ['stale_plan'],
      20: ['differs'],
      78: ['unsupported_node'],
      129: ['hangup'],
      130: ['interrupted'],
      141: ['stdout_closed'],
      143: ['terminated'],
    });
  });
});

describe('SvcError', () => {
  it('keeps everything but the new message or hint when reworded', () => {
    const cause = new Error('below');
    const error = new SvcError('not_found', 'no such thing', {
      hint: 'look',
      status: 'NOT_FOUND',
      cause,
    });
    error.retries = 2;
    const { stack } = error;
    const kept = { failure: 'not_found', status: 'NOT_FOUND', cause, retries: 2, stack };
    expect(error.reworded({ hint: 'list them' })).toMatchObject({
      ...kept,
      message: 'no such thing',
      hint: 'list them',
    });
    expect(error.reworded({ message: 'gone' })).toMatchObject({
      ...kept,
      message: 'gone',
      hint: 'look',
    });
  });

  it('has a failure, a hint, a status, and a cause', () => {
    const cause = new Error('below');
    const error = new SvcError('not_found', 'no such thing', {
      hint: 'look',
      status: 'NOT_FOUND',
      cause,
    });
    expect(error).toMatchObject({
      failure: 'not_found',
      hint: 'look',
      status: 'NOT_FOUND',
      cause,
      name: 'SvcError',
    });
  });

  it('systemErrorCode returns the code of a system error', async () => {
    const error = await readFile('/no/such/file').catch((reason: unknown) => reason);
    expect(systemErrorCode(error)).toBe('ENOENT');
    expect(systemErrorCode(new Error('other'))).toBeUndefined();
    expect(systemErrorCode('text')).toBeUndefined();
  });
});
