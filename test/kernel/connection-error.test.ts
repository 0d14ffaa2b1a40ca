import { describe, expect, it } from 'vitest';
import { connectionErrorCode, describeConnectionError } from '../../src/kernel/connection-error.ts';

const failed = (code: string, fields: object = {}, message = code) =>
  Object.assign(new Error(message), { code, ...fields });

describe('describeConnectionError', () => {
  it.each([
    [failed('ECONNREFUSED', { syscall: 'connect' }), 'connection refused'],
    [failed('ECONNRESET', { syscall: 'read' }), 'the connection was reset'],
    [
      failed('ECONNRESET', {}, 'socket hang up'),
      'the connection was closed before the response was complete',
    ],
    [failed('HPE_INVALID_CONSTANT'), 'the response is not HTTP'],
    [
      Object.assign(new Error('Response does not match'), { name: 'HTTPParserError' }),
      'the response is not HTTP',
    ],
    [
      failed('EPROTO', { syscall: 'write' }, 'write EPROTO …:wrong version number:…'),
      'the server does not speak TLS',
    ],
    [failed('EPROTO', { syscall: 'write' }), 'the TLS handshake failed'],
    [failed('ENOSUCHCODE'), undefined],
    [new Error('without a code'), undefined],
    ['no error at all', undefined],
  ])('describes %s as %s', (error, words) => {
    expect(describeConnectionError(error)).toBe(words);
  });

  it('returns the code of an error without a description', () => {
    expect(connectionErrorCode(failed('ENOSUCHCODE'))).toBe('ENOSUCHCODE');
    expect(connectionErrorCode({ code: 'ECONNRESET' })).toBe('');
  });
});
