import { describe, expect, it } from 'vitest';
import { connectionCode, connectionFault } from '../../src/kernel/connection-fault.ts';

const failed = (code: string, fields: object = {}, message = code) =>
  Object.assign(new Error(message), { code, ...fields });

describe('why nothing was heard', () => {
  it.each([
    [failed('ECONNREFUSED', { syscall: 'connect' }), 'connection refused'],
    [failed('ECONNRESET', { syscall: 'read' }), 'the connection was reset'],
    [failed('ECONNRESET', {}, 'socket hang up'), 'the connection was closed before the answer was complete'],
    [failed('HPE_INVALID_CONSTANT'), 'it is not HTTP'],
    [Object.assign(new Error('Response does not match'), { name: 'HTTPParserError' }), 'it is not HTTP'],
    [failed('EPROTO', { syscall: 'write' }, 'write EPROTO …:wrong version number:…'), 'it does not speak TLS'],
    [failed('EPROTO', { syscall: 'write' }), 'the two could not agree on how to speak TLS'],
    [failed('ENOSUCHCODE'), undefined],
    [new Error('without a code'), undefined],
    ['no error at all', undefined],
  ])('%s is told as %s', (error, words) => {
    expect(connectionFault(error)).toBe(words);
  });

  it('keeps the code of what has no words', () => {
    expect(connectionCode(failed('ENOSUCHCODE'))).toBe('ENOSUCHCODE');
    expect(connectionCode({ code: 'ECONNRESET' })).toBe('');
  });
});
