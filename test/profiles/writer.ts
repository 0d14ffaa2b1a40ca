import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { ignoreSignalListenersOfLibraries } from '../../src/kernel/process.ts';
import { createProfileStore } from '../../src/profiles/store.ts';
import { fakeKeychain } from './fake-keyring.ts';

/**
 * A writer of its own process: adds the profiles named on its command line, one after the other,
 * and says each. Their secrets go into the keychain that is a folder, or without one into the file.
 */
const [config = '', vault = '', ...names] = process.argv.slice(2);
ignoreSignalListenersOfLibraries();
const keychain = vault === '' ? {} : { keychain: fakeKeychain(folderAsMap(vault)).keychain };
// 50 concurrent writers wait for each other, on a busy machine longer than a user would.
const lockTimeout = 50_000;
const folders = { config, state: config, data: config };
const store = createProfileStore({ folders, clock: systemClock, lockTimeout, ...keychain });
try {
  for (const name of names) {
    await store.add(
      name,
      { baseUrl: 'https://api.example.com', org: name.repeat(20) },
      { authToken: `token-${name}` },
    );
    process.stdout.write(`${name}\n`);
  }
} catch (error) {
  process.stderr.write(`${Object(error).failure}: ${error}\n`);
  process.exitCode = 1;
}

/** A map that all processes share, like a keychain. */
function folderAsMap(folder: string): Map<string, string> {
  return new (class extends Map<string, string> {
    override get(key: string) {
      try {
        return readFileSync(join(folder, key), 'utf8');
      } catch {
        return undefined;
      }
    }
    override set(key: string, value: string) {
      writeFileSync(join(folder, key), value);
      return this;
    }
    override delete(key: string) {
      rmSync(join(folder, key), { force: true });
      return true;
    }
  })();
}
