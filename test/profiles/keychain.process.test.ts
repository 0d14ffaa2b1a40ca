import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSystemKeychain } from '../../src/profiles/keychain.ts';
import { type KeychainCall, performKeychainCalls } from '../../src/profiles/keychain-calls.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { fakeKeyring } from './fake-keyring.ts';

const GET: readonly KeychainCall[] = [{ kind: 'get', account: 'a' }];
const BUS = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', PATH: process.env['PATH'] };

describe('keychain calls', () => {
  it('return the stored secret of each account until it is deleted', async () => {
    const keyring = fakeKeyring();
    const calls: readonly KeychainCall[] = [
      { kind: 'set', account: 'a', secret: 's\n1' },
      { kind: 'get', account: 'a' },
      { kind: 'get', account: 'b' },
      { kind: 'delete', account: 'a' },
      { kind: 'get', account: 'a' },
      { kind: 'delete', account: 'a' },
    ];
    expect(await performKeychainCalls(calls, async () => keyring)).toEqual({
      values: [null, 's\n1', null, null, null, null],
    });
  });

  it('report why they failed, without the secret', async () => {
    const absent = await performKeychainCalls(GET, () =>
      Promise.reject(new Error("Cannot find package '@napi-rs/keyring'")),
    );
    expect(absent).toEqual({ fault: "Cannot find package '@napi-rs/keyring'" });
    const failing = class extends fakeKeyring().Entry {
      override setPassword(secret: string) {
        throw new Error(`cannot keep ${secret}`);
      }
    };
    const call = { kind: 'set', account: 'a', secret: 'hunter2-hunter2' } as const;
    expect(await performKeychainCalls([call], async () => ({ Entry: failing }))).toEqual({
      fault: 'cannot keep ****',
    });
  });

  it('never fall back to the kernel keyring, which is not persistent', async () => {
    const options: unknown[] = [];
    const watched = class extends fakeKeyring().Entry {
      constructor(
        service: string,
        account: string,
        given: { readonly linux: { readonly store: 'secret-service' } },
      ) {
        super(service, account, given);
        options.push(given);
      }
    };
    await performKeychainCalls(GET, async () => ({ Entry: watched }));
    expect(options).toEqual([{ linux: { store: 'secret-service' } }]);
  });
});

/** Creates a replacement for the program that calls the keychain. */
async function program(code: string): Promise<readonly string[]> {
  const path = join(await createTemporaryFolder(), 'program.js');
  await writeFile(path, code);
  return [path];
}

const ask = async (code: string, options: { timeout?: number; signal?: AbortSignal } = {}) =>
  createSystemKeychain(BUS, { ...options, program: await program(code), platform: 'linux' })(GET);

describe('the system keychain', () => {
  it("is called from a separate process, with the calls on stdin and without svc's variables", async () => {
    const echo = `
      process.stdin.setEncoding('utf8').on('data', (text) => console.log(JSON.stringify({
        values: [text + JSON.stringify(process.argv.slice(2)) + Object.keys(process.env).filter((name) => /SVC/.test(name))],
      })));`;
    const environment = { ...BUS, SVC_AUTH_TOKEN: 'secret' };
    const keychain = createSystemKeychain(environment, {
      program: await program(echo),
      platform: 'linux',
    });
    expect(await keychain(GET)).toEqual({ values: [`${JSON.stringify(GET)}[]`] });
  });

  it.each([
    ['that hangs', 'setInterval(() => {}, 1_000)'],
    ['that blocks', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ])('is abandoned in time by a process %s', async (_, code) => {
    expect(await ask(code, { timeout: 300 })).toEqual({ fault: 'did not respond within 0.3 s' });
  });

  it.each([
    ['that reads nothing and dies', 'process.exit(1)', 'returned no usable response'],
    ['that is killed', 'process.kill(process.pid, "SIGKILL")', 'returned no usable response'],
    [
      'that answers in the middle of a word',
      'process.stdout.write(`{"values":[`)',
      'returned no usable response',
    ],
    ['that answers too little', 'console.log(`{"values":[]}`)', 'returned no usable response'],
    ['that fails', 'console.log(`{"fault":"it is locked"}`)', 'failed: it is locked'],
  ])('fails with a process %s', async (_, code, message) => {
    expect(await ask(code)).toEqual({ fault: message });
  });

  it('is abandoned when the signal aborts', async () => {
    const stop = new AbortController();
    const asked = ask('setInterval(() => {}, 1_000)', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    await expect(asked).rejects.toThrow('stopped');
  });

  it('is not used without a session bus', async () => {
    const keychain = createSystemKeychain(
      {},
      { program: ['/never/started.js'], platform: 'linux' },
    );
    expect(await keychain(GET)).toEqual({ fault: 'is not running' });
  });

  it.runIf(process.platform === 'linux')('does not hang on a bus that never responds', async () => {
    const path = join(await createTemporaryFolder(), 'bus');
    const server = createServer(() => undefined).listen(path);
    onTestFinished(() => void server.close());
    const keychain = createSystemKeychain(
      { ...BUS, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
      { timeout: 800 },
    );
    expect(await keychain(GET)).toEqual({ fault: 'did not respond within 0.8 s' });
  });
});
