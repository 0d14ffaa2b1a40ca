import { text } from 'node:stream/consumers';
import { createProcessIo } from '../kernel/io.ts';
import { performKeychainCalls } from './keychain-calls.ts';

/**
 * Runs in a process that `keychain.ts` may kill, because the keychain module blocks its process
 * while the keychain hangs.
 */
async function serveCalls(): Promise<void> {
  const { stdin, stdout } = createProcessIo();
  const reply = await performKeychainCalls(
    JSON.parse(await text(stdin.stream)),
    () => import('@napi-rs/keyring'),
  );
  await stdout.write(JSON.stringify(reply));
}

void serveCalls();
