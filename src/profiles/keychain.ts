import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programArguments } from '../kernel/bundled-programs.ts';
import type { Environment } from '../kernel/folders.ts';
import { tryParseJson } from '../kernel/json.ts';
import { nodeExecutable } from '../kernel/process.ts';
import type { KeychainCall, KeychainReply } from './keychain-calls.ts';

/**
 * Rejects only with the signal's reason. A `fault` completes "the keychain":
 * `did not respond within 3 s`.
 */
export type Keychain = (calls: readonly KeychainCall[]) => Promise<KeychainReply>;
/** Time limit for the keychain, in milliseconds. */
const KEYCHAIN_TIMEOUT = 3_000;

export interface KeychainOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly program?: readonly string[];
  readonly platform?: NodeJS.Platform;
}

/**
 * Opens the current user's keychain through a separate process, because a keychain that hangs
 * blocks its caller.
 */
export function createSystemKeychain(
  environment: Environment,
  options: KeychainOptions = {},
): Keychain {
  const { signal, timeout = KEYCHAIN_TIMEOUT, platform = thisPlatform() } = options;
  const { program = programArguments('keychain-process', import.meta.url) } = options;
  const variables = Object.entries(environment).filter(([name]) => !name.startsWith('SVC_'));
  return async (calls) => {
    signal?.throwIfAborted();
    if (platform === 'linux' && !hasSessionBus(environment)) return { fault: 'is not running' };
    const child = spawn(nodeExecutable, program, {
      env: Object.fromEntries(variables),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
      timeout,
      killSignal: 'SIGKILL',
      ...(signal && { signal }),
    });
    // A process that fails writes no complete reply.
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined).end(JSON.stringify(calls));
    const reply = tryParseJson(await text(child.stdout)) as KeychainReply | undefined;
    signal?.throwIfAborted();
    if (reply && 'fault' in reply) return { fault: `failed: ${reply.fault}` };
    if (reply?.values.length === calls.length) return reply;
    return {
      fault: child.killed
        ? `did not respond within ${timeout / 1_000} s`
        : 'returned no usable response',
    };
  };
}

function hasSessionBus({
  DBUS_SESSION_BUS_ADDRESS: address,
  XDG_RUNTIME_DIR: folder,
}: Environment): boolean {
  return Boolean(address) || Boolean(folder && existsSync(join(folder, 'bus')));
}
