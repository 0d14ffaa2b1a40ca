import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { requireData } from '../../client/response-data.ts';
import { type Hint, hint, messageOf, SvcError, step } from '../../kernel/errors.ts';
import { isProcessRunning, processId } from '../../kernel/process.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { type Connection, connect } from '../connection/connect.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { canAsk, openPrompter } from '../terminal/terminal.ts';

interface TemporaryEndpointOptions {
  readonly url: string;
  readonly filterTypes: readonly string[] | undefined;
  readonly allowsExisting: boolean;
}

/** Time limit for deleting the endpoint after the command is interrupted, in milliseconds. */
const REMOVAL_TIMEOUT = 5_000;
const REMOVAL_FAILED =
  'the temporary endpoint could not be deleted; the next listener will delete it';
const MACHINE_HASH = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const UID_PREFIX = `svc-listen.${MACHINE_HASH}.`;

/**
 * Creates an endpoint for this process, and enables advanced webhooks if necessary. Deletes
 * endpoints that killed processes left on this machine.
 * @returns the signing secret, messages for the user, and functions for cleanup; undefined if an
 * existing endpoint is enough
 */
export async function createTemporaryEndpoint(context: Context, options: TemporaryEndpointOptions) {
  const { url, filterTypes, allowsExisting } = options;
  const own = new AbortController();
  context.signal.addEventListener('abort', () => {
    setTimeout(() => own.abort(context.signal.reason), REMOVAL_TIMEOUT).unref();
  });
  const { client, close } = await connectToService({ ...context, signal: own.signal });
  let remove = close;
  try {
    const endpoints = await loadResource('webhook-endpoints');
    const { notes, hasEnabledWebhooks } = await enableWebhooks(client);
    const others = await removeStale(client);
    if (allowsExisting && others.some((other) => isSameReceiver(other, url))) {
      for (const text of notes) await context.note(text);
      await close();
      return undefined;
    }
    const uid = `${UID_PREFIX}${processId}.${randomBytes(6).toString('hex')}`;
    const description = 'temporary: svc webhooks listen';
    const endpoint = {
      url,
      uid,
      description,
      ...optionalProperty('filterTypes', filterTypes?.slice()),
    };
    const { id } = requireData(await client.call(endpoints['webhooks.endpoints.create'], endpoint));
    // A failure is only a warning, because the output is complete.
    const warn = (error: unknown) => context.warn(`${REMOVAL_FAILED}: ${messageOf(error)}`);
    remove = () => removeEndpoint(client, id).catch(warn).finally(close);
    const { secret } = requireData(
      await client.call(endpoints['webhooks.endpoints.secret'], { endpointId: id }),
    );
    return { secret, notes, hasEnabledWebhooks, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Connects to the service. The embedded service has no process of its own, so this process sends
 * its deliveries.
 */
async function connectToService(context: Context): Promise<Connection> {
  const connection = await connect(context);
  if (!context.options.local) return connection;
  const stop = await (await import('./local-deliveries.ts')).startLocalDeliveries(context);
  return { client: connection.client, close: () => stop().finally(connection.close) };
}

async function enableWebhooks(client: Client) {
  const notes: (string | Hint)[] = [];
  const config = await loadResource('webhook-config');
  const { isEnabled, encryptData, publicKey } = requireData(
    await client.call(config['webhooks.advanced.get'], {}),
  );
  if (!isEnabled) {
    await client.call(config['webhooks.advanced.update'], { isEnabled: true });
    const disabling = step('change', 'webhooks', 'advanced', 'update', '--disable');
    notes.push(hint`Enabled advanced webhooks; to disable them again, run ${disabling}`);
  }
  if (encryptData && publicKey !== '')
    notes.push('payloads are encrypted; to decrypt them, add --private-key');
  return { notes, hasEnabledWebhooks: !isEnabled };
}

async function removeStale(client: Client): Promise<readonly string[]> {
  const endpoints = await loadResource('webhook-endpoints');
  const [stale, others]: [string[], string[]] = [[], []];
  for await (const { data } of fetchPages(client, endpoints['webhooks.endpoints.list'], {})) {
    for (const { id, uid, url, disabled } of data?.endpoints ?? []) {
      if (uid && isStale(uid)) stale.push(id);
      else if (!disabled) others.push(url);
    }
  }
  for (const id of stale) await removeEndpoint(client, id);
  return others;
}

function isSameReceiver(one: string, other: string): boolean {
  const hostOf = (url: string) =>
    URL.parse(url)?.host.replace(/^(localhost|\[::1\])(?=:|$)/, '127.0.0.1');
  return hostOf(one) === hostOf(other);
}

function isStale(uid: string): boolean {
  const [, number] = uid.startsWith(UID_PREFIX)
    ? (/^(\d{1,9})\./.exec(uid.slice(UID_PREFIX.length)) ?? [])
    : [];
  return number !== undefined && !isProcessRunning(Number(number));
}

async function removeEndpoint(client: Client, endpointId: string): Promise<void> {
  const endpoints = await loadResource('webhook-endpoints');
  try {
    await client.call(endpoints['webhooks.endpoints.delete'], { endpointId });
  } catch (error) {
    if (!(error instanceof SvcError && error.failure === 'not_found')) throw error;
  }
}

/**
 * Disables advanced webhooks if `--restore` is set, or if the user agrees. Does not prompt if there
 * are endpoints, which need advanced webhooks. Failures are warnings, because the output is
 * complete.
 */
export async function restoreAdvancedWebhooks(
  context: Context,
  restore: boolean | undefined,
): Promise<void> {
  if (!(restore ?? canPromptOnExit(context))) return;
  // The command's signal may be aborted already. A second Ctrl-C ends the process.
  const { signal } = new AbortController();
  try {
    await closeAfter(await connect({ ...context, signal }), async ({ client }) => {
      if (!restore) {
        const resource = await loadResource('webhook-endpoints');
        const { endpoints } = requireData(
          await client.call(resource['webhooks.endpoints.list'], { limit: 1 }),
        );
        const prompter = await openPrompter({ ...context, signal });
        if (
          endpoints.length > 0 ||
          !(await prompter.confirm('Disable advanced webhooks again?', true))
        )
          return;
      }
      const config = await loadResource('webhook-config');
      await client.call(config['webhooks.advanced.update'], { isEnabled: false });
      await context.note('Disabled advanced webhooks again');
    });
  } catch (error) {
    // Ctrl-C at the prompt means no.
    if (error instanceof SvcError && error.failure === 'interrupted') return;
    await context.warn(`advanced webhooks are still enabled: ${messageOf(error)}`);
  }
}

function canPromptOnExit(context: Context): boolean {
  const { signal, options } = context;
  const isInterrupted =
    signal.reason instanceof SvcError && signal.reason.failure === 'interrupted';
  return canAsk(context) && !options.yes && (!signal.aborted || isInterrupted);
}
