import { text } from 'node:stream/consumers';
import { createProcessIo } from '../kernel/io.ts';
import { performKeychainCalls } from './keychain-calls.ts';

/**
 * Entry point of the process that `keychain.ts` starts and may kill, because the keychain module blocks its process while
 * the keychain hangs. Reads the calls as JSON from stdin and writes the reply as JSON to stdout.
 */
async function serveCalls(): Promise<void> {
  const { stdin, stdout } = createProcessIo();
  const reply = await performKeychainCalls(JSON.parse(await text(stdin.stream)), () => import('@napi-rs/keyring'));
  await stdout.write(JSON.stringify(reply));
}

void serveCalls();
