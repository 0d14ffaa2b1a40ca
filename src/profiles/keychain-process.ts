import { text } from 'node:stream/consumers';
import { processIo } from '../kernel/io.ts';
import { performCalls } from './keychain-calls.ts';

/**
 * A program of its own, which `keychain.ts` starts and may kill: the keychain's module blocks the whole process while a
 * keychain hangs. Takes the calls as JSON on stdin and writes the reply as JSON to stdout.
 */
async function answer(): Promise<void> {
  const { stdin, stdout } = processIo();
  const reply = await performCalls(JSON.parse(await text(stdin.stream)), () => import('@napi-rs/keyring'));
  await stdout.write(JSON.stringify(reply));
}

void answer();
