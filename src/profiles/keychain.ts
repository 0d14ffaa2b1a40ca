import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programArgument } from '../kernel/bundled-programs.ts';
import type { Environment } from '../kernel/folders.ts';
import { nodeExecutable } from '../kernel/process.ts';
import { tryParseJson } from '../kernel/try-parse-json.ts';
import type { KeychainCall, KeychainReply } from './keychain-calls.ts';

/** Returns the secret or null for each `get`, and null for other calls. @throws KeychainError, also after the timeout */
export type Keychain = (calls: readonly KeychainCall[]) => Promise<readonly (string | null)[]>;

/** Thrown when the keychain fails. The message completes "the keychain": `did not respond within 3 s`. */
export class KeychainError extends Error {}

/** Time limit for the keychain, in milliseconds. */
const KEYCHAIN_TIMEOUT = 3_000;

export interface KeychainOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly program?: string;
  readonly platform?: NodeJS.Platform;
}

/** Opens the current user's keychain through a separate process, because a keychain that hangs blocks its caller. */
export function createSystemKeychain(environment: Environment, options: KeychainOptions = {}): Keychain {
  const {
    signal,
    timeout = KEYCHAIN_TIMEOUT,
    program = programArgument('keychain-process', import.meta.url),
    platform = thisPlatform(),
  } = options;
  return async (calls) => {
    signal?.throwIfAborted();
    if (platform === 'linux' && !hasSessionBus(environment)) throw new KeychainError('is not running');
    const child = spawn(nodeExecutable, [program], {
      env: withoutSvcVariables(environment),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const values = await limitTime(child, timeout, readKeychainReply(child, calls), signal);
    if (values.length !== calls.length) throw new KeychainError('returned no usable response');
    return values;
  };
}

function hasSessionBus({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder }: Environment): boolean {
  return Boolean(address) || Boolean(folder && existsSync(join(folder, 'bus')));
}

function withoutSvcVariables(environment: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_')));
}

async function readKeychainReply(child: ChildProcess, calls: readonly KeychainCall[]) {
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  child.stdin?.on('error', () => undefined).end(JSON.stringify(calls)); // the missing reply is reported below
  const written = await Promise.race([child.stdout ? text(child.stdout) : '', failed]);
  // Undefined if the process died before it wrote a complete reply.
  const reply = tryParseJson(written) as KeychainReply | undefined;
  if (reply && 'values' in reply) return reply.values;
  throw new KeychainError(reply ? `failed: ${reply.fault}` : 'returned no usable response');
}

async function limitTime<Value>(child: ChildProcess, timeout: number, reply: Promise<Value>, signal?: AbortSignal) {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal?.reason);
  const expire = () => reject(new KeychainError(`did not respond within ${timeout / 1_000} s`));
  const timer = setTimeout(expire, timeout);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([reply, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    reply.catch(() => undefined); // the timeout or the signal may settle first
    child.kill('SIGKILL');
    child.unref();
  }
}
