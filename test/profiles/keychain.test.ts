import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KeychainFault, systemKeychain } from '../../src/profiles/keychain.ts';
import { type KeychainCall, performCalls } from '../../src/profiles/keychain-calls.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { fakeKeyring } from './fake-keyring.ts';

const GET: readonly KeychainCall[] = [{ kind: 'get', account: 'a' }];
const BUS = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', PATH: process.env['PATH'] };

describe('calls of the keyring module', () => {
  it('get what was set until it is deleted, each under its own account', async () => {
    const keyring = fakeKeyring();
    const calls: readonly KeychainCall[] = [
      { kind: 'set', account: 'a', secret: 's\n1' },
      { kind: 'get', account: 'a' },
      { kind: 'get', account: 'b' },
      { kind: 'delete', account: 'a' },
      { kind: 'get', account: 'a' },
      { kind: 'delete', account: 'a' },
    ];
    expect(await performCalls(calls, async () => keyring)).toEqual({ values: [null, 's\n1', null, null, null, null] });
  });

  it('say why they failed, without the secret that they were to keep', async () => {
    const absent = await performCalls(GET, () => Promise.reject(new Error("Cannot find package '@napi-rs/keyring'")));
    expect(absent).toEqual({ fault: "Cannot find package '@napi-rs/keyring'" });
    const failing = class extends fakeKeyring().Entry {
      override setPassword(secret: string) {
        throw new Error(`cannot keep ${secret}`);
      }
    };
    const call = { kind: 'set', account: 'a', secret: 'hunter2-hunter2' } as const;
    expect(await performCalls([call], async () => ({ Entry: failing }))).toEqual({ fault: 'cannot keep ****' });
  });

  it('never fall back to the key ring of the kernel, which does not last', async () => {
    const options: unknown[] = [];
    const watched = class extends fakeKeyring().Entry {
      constructor(service: string, account: string, given: { readonly linux: { readonly store: 'secret-service' } }) {
        super(service, account, given);
        options.push(given);
      }
    };
    await performCalls(GET, async () => ({ Entry: watched }));
    expect(options).toEqual([{ linux: { store: 'secret-service' } }]);
  });
});

/** A program in place of the one that asks the keychain. */
async function program(code: string): Promise<string> {
  const path = join(await temporaryFolder(), 'program.js');
  await writeFile(path, code);
  return path;
}

const ask = async (code: string, options: { milliseconds?: number; signal?: AbortSignal } = {}) =>
  systemKeychain(BUS, { ...options, program: await program(code), platform: 'linux' })(GET);

describe('the keychain of the system', () => {
  it('is asked by a process of its own, which gets the calls by stdin and none of the variables of svc', async () => {
    const echo = `
      process.stdin.setEncoding('utf8').on('data', (text) => console.log(JSON.stringify({
        values: [text + JSON.stringify(process.argv.slice(2)) + Object.keys(process.env).filter((name) => /SVC/.test(name))],
      })));`;
    const environment = { ...BUS, SVC_AUTH_TOKEN: 'secret' };
    const keychain = systemKeychain(environment, { program: await program(echo), platform: 'linux' });
    expect(await keychain(GET)).toEqual([`${JSON.stringify(GET)}[]`]);
  });

  it.each([
    ['that hangs', 'setInterval(() => {}, 1_000)'],
    ['that blocks', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ])('%s is given up in time', async (_, code) => {
    await expect(ask(code, { milliseconds: 300 })).rejects.toThrow(new KeychainFault('did not answer within 0.3 s'));
  });

  it.each([
    ['that reads nothing and dies', 'process.exit(1)', 'gave no usable answer'],
    ['that is killed', 'process.kill(process.pid, "SIGKILL")', 'gave no usable answer'],
    ['that answers in the middle of a word', 'process.stdout.write(`{"values":[`)', 'gave no usable answer'],
    ['that answers too little', 'console.log(`{"values":[]}`)', 'gave no usable answer'],
    ['that refuses', 'console.log(`{"fault":"it is locked"}`)', 'refused: it is locked'],
  ])('%s is a fault', async (_, code, message) => {
    await expect(ask(code)).rejects.toThrow(new KeychainFault(message));
  });

  it('is given up when the run is stopped', async () => {
    const stop = new AbortController();
    const asked = ask('setInterval(() => {}, 1_000)', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    await expect(asked).rejects.toThrow('stopped');
  });

  it('is not looked for without a session bus', async () => {
    const keychain = systemKeychain({}, { program: '/never/started.js', platform: 'linux' });
    await expect(keychain(GET)).rejects.toThrow('is not running');
  });

  it.runIf(process.platform === 'linux')('does not hang with a bus that takes calls and never answers', async () => {
    const path = join(await temporaryFolder(), 'bus');
    const server = createServer(() => undefined).listen(path);
    onTestFinished(() => void server.close());
    const keychain = systemKeychain({ ...BUS, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }, { milliseconds: 800 });
    await expect(keychain(GET)).rejects.toThrow('did not answer within 0.8 s');
  });
});
