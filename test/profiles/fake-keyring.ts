import type { Keychain } from '../../src/profiles/keychain.ts';
import { KeychainFault } from '../../src/profiles/keychain.ts';
import { type KeyringModule, performCalls } from '../../src/profiles/keychain-calls.ts';

/** The keyring module over a map, as the system's keychain would be: it outlives who uses it. */
export function fakeKeyring(kept = new Map<string, string>()): KeyringModule {
  return {
    Entry: class {
      readonly #key: string;
      constructor(service: string, account: string) {
        this.#key = `${service} ${account}`;
      }
      getPassword() {
        return kept.get(this.#key) ?? null;
      }
      setPassword(secret: string) {
        kept.set(this.#key, secret);
      }
      deleteCredential() {
        return kept.delete(this.#key);
      }
    },
  };
}

/** A keychain in this process: the product's own calls on a fake module, and the faults that a test switches on. */
export function fakeKeychain(kept = new Map<string, string>()) {
  const state = { fault: undefined as string | undefined, calls: 0 };
  const keychain: Keychain = async (calls) => {
    state.calls += 1;
    if (state.fault !== undefined) throw new KeychainFault(state.fault);
    const reply = await performCalls(calls, async () => fakeKeyring(kept));
    if ('fault' in reply) throw new KeychainFault(reply.fault);
    return reply.values;
  };
  return { keychain, kept, state };
}
