import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../kernel/folders.ts';
import { nodeProgram } from '../kernel/io.ts';
import { jsonValue } from '../kernel/json-value.ts';
import { programWord } from '../kernel/parts.ts';
import type { KeychainCall, KeychainReply } from './keychain-calls.ts';

/**
 * Makes the calls in order: for each `get` the secret or null, for the others null.
 * @throws KeychainFault when one of them fails or all together take too long
 */
export type Keychain = (calls: readonly KeychainCall[]) => Promise<readonly (string | null)[]>;

/** The keychain could not be used. The message goes behind `the keychain`: `did not answer within 3 s`. */
export class KeychainFault extends Error {}

/** Milliseconds until a keychain that does not answer is given up. */
const LIMIT = 3_000;

export interface KeychainOptions {
  readonly signal?: AbortSignal;
  readonly milliseconds?: number;
  /** The program that asks it. */
  readonly program?: string;
  readonly platform?: NodeJS.Platform;
}

/** The keychain of this user. A process of its own asks it, since a keychain that hangs blocks the whole process. */
export function systemKeychain(environment: Environment, options: KeychainOptions = {}): Keychain {
  const {
    signal,
    milliseconds = LIMIT,
    program = programWord('keychain-process', import.meta.url),
    platform = thisPlatform(),
  } = options;
  return async (calls) => {
    signal?.throwIfAborted();
    if (platform === 'linux' && !hasSessionBus(environment)) throw new KeychainFault('is not running');
    const child = spawn(nodeProgram, [program], {
      env: withoutSettings(environment),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const { values } = await withinTime(child, milliseconds, signal, replyOf(child, calls));
    if (values.length !== calls.length) throw new KeychainFault('gave no usable answer');
    return values;
  };
}

/** Without a session bus there is no Secret Service to ask, and no reason to start a process. */
function hasSessionBus({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder }: Environment): boolean {
  return Boolean(address) || Boolean(folder && existsSync(join(folder, 'bus')));
}

/** The variables of svc hold secrets that are none of the keychain's business. */
function withoutSettings(environment: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_')));
}

type Values = Extract<KeychainReply, { values: unknown }>;

async function replyOf(child: ChildProcess, calls: readonly KeychainCall[]): Promise<Values> {
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  child.stdin?.on('error', () => undefined).end(JSON.stringify(calls)); // who is gone has no reply either
  const written = await Promise.race([child.stdout ? text(child.stdout) : '', failed]);
  // Nothing where it died in the middle, or never got as far as an answer.
  const reply = jsonValue(written) as KeychainReply | undefined;
  if (reply && 'values' in reply) return reply;
  throw new KeychainFault(reply ? `refused: ${reply.fault}` : 'gave no usable answer');
}

async function withinTime<Value>(
  child: ChildProcess,
  milliseconds: number,
  signal: AbortSignal | undefined,
  reply: Promise<Value>,
): Promise<Value> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal?.reason);
  const timer = setTimeout(() => {
    reject(new KeychainFault(`did not answer within ${milliseconds / 1_000} s`));
  }, milliseconds);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([reply, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    reply.catch(() => undefined); // when the time was over first
    child.kill('SIGKILL');
    child.unref();
  }
}
