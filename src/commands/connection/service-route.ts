import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientOptions, Target } from '../../client/client.ts';
import type { ClientCertificate } from '../../client/client-certificate.ts';
import type { SharedRateLimit } from '../../client/client-options.ts';
import { MAX_PAUSE } from '../../client/rate-limiter.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createPrivateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { once } from '../../kernel/once.ts';
import { replaceFile } from '../../kernel/staged-file.ts';
import type { EmbeddedInstance } from '../../service/embedded.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { findAuthorities, skippedChecksWarning, skipsCertificateChecks } from './ca-file.ts';

export interface ServiceRoute {
  readonly wire: Pick<
    ClientOptions,
    'transport' | 'proxy' | 'hasClientCertificate' | 'sharedRateLimit'
  >;
  close(): Promise<void>;
}

export async function openNetworkRoute(context: Context, target: Target): Promise<ServiceRoute> {
  const { environment, options, folders, clock } = context;
  const { baseUrl } = target;
  if (baseUrl.startsWith('https:') && skipsCertificateChecks(environment))
    await context.warn(
      `${skippedChecksWarning()}; use --ca-file to trust a certificate authority instead`,
    );
  const { timeout: attemptTimeout } = options;
  const { caFile } = await context.target();
  const authorities =
    caFile || (environment['SSL_CERT_FILE'] && baseUrl.startsWith('https:'))
      ? await findAuthorities(context)
      : undefined;
  const connection = {
    baseUrl,
    environment,
    attemptTimeout,
    clientCertificate: await findClientCertificate(context, baseUrl),
    ...optionalProperty('authorities', authorities),
  };
  const { openNetwork } = await import('../../client/network.ts');
  const { close, ...wire } = await openNetwork(connection);
  return {
    wire: { ...wire, sharedRateLimit: createSharedRateLimit(folders, clock, target) },
    close,
  };
}

/** Loads the client certificate of the settings. Plain HTTP has no use for one. */
export async function findClientCertificate(
  context: Context,
  baseUrl: string,
): Promise<ClientCertificate | undefined> {
  const { clientCert, clientKey } = await context.target();
  if (!(clientCert || clientKey) || !baseUrl.startsWith('https:')) return undefined;
  const { loadClientCertificate } = await import('./client-certificate.ts');
  return loadClientCertificate(context, await context.targetWithSecrets());
}

export async function openEmbeddedRoute(
  context: Context,
): Promise<ServiceRoute & { readonly embedded: EmbeddedInstance }> {
  const { folders, clock, options, signal } = context;
  const [{ openEmbedded }, { resolveStoreLocation }, { createDirectTransport }] = await Promise.all(
    [
      import('../../service/embedded.ts'),
      import('../../service/store/location.ts'),
      import('../../client/direct-transport.ts'),
    ],
  );
  const location = await resolveStoreLocation(options.store, folders);
  const embedded = await openEmbedded(location, { clock, signal, logFolder: folders.data });
  const transport = createDirectTransport(embedded.post, options.timeout);
  return { wire: { transport }, embedded, close: embedded.close };
}

/** Time to cache the contents of the file, in milliseconds. */
const CACHE_TIME = 50;
/** Maximum file age, in milliseconds. Older files are deleted. */
const MAX_FILE_AGE = 24 * 60 * 60_000;

/**
 * Shares rate limit pauses between processes, in a file for each service and credential. If the
 * file cannot be read, each process detects rate limits on its own.
 */
export function createSharedRateLimit(
  folders: Folders,
  clock: Clock,
  target: Target,
): SharedRateLimit {
  const folder = join(folders.state, 'gates');
  const pathOnce = once(() => join(folder, `${hashTarget(target)}.json`));
  let lastCheck = Number.NEGATIVE_INFINITY;
  let until: number | undefined;
  return {
    pausedUntil() {
      const now = clock.now();
      if (now >= lastCheck && now - lastCheck < CACHE_TIME) return until;
      lastCheck = now;
      // Without a folder, there is no pause, and no reason to load node:crypto.
      until = existsSync(folder) ? readPauseEnd(pathOnce(), now) : undefined;
      return until;
    },
    pauseUntil(untilEpoch) {
      const from = clock.now();
      const known = readPauseEnd(pathOnce(), from);
      // Of several pauses at the same time, all processes wait for the longest.
      if (known !== undefined && known >= untilEpoch && known <= from + MAX_PAUSE) return;
      void writePause(folder, pathOnce(), { until: untilEpoch, from }).catch(() => undefined);
    },
  };
}

/** Identifies the service and the credential. The URL and IDs are private. */
function hashTarget({ baseUrl, key, workspace }: Target): string {
  const identity = JSON.stringify([
    URL.parse(baseUrl)?.origin,
    key?.apiKey,
    workspace?.workspaceId,
  ]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/**
 * Reads the end of the pause. A start in the future means that the clock was changed; the pause
 * then starts now.
 */
function readPauseEnd(path: string, now: number): number | undefined {
  try {
    const { until, from }: { until?: unknown; from?: unknown } = Object(
      JSON.parse(readFileSync(path, 'utf8')),
    );
    if (typeof until !== 'number' || !Number.isFinite(until)) return undefined;
    return typeof from === 'number' && from > now ? now + until - from : until;
  } catch {
    return undefined;
  }
}

async function writePause(
  folder: string,
  path: string,
  pause: { until: number; from: number },
): Promise<void> {
  await createPrivateFolder(folder);
  await replaceFile(path, JSON.stringify(pause), { durable: false });
  const { mtimeMs: now } = await stat(path);
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if ((await stat(other)).mtimeMs < now - MAX_FILE_AGE) await rm(other, { force: true });
  }
}
