import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { pages } from '../../client/pages.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { isRunning, processId } from '../../kernel/io.ts';
import { type Connection, connect } from '../call/connect.ts';
import { dataOf } from '../call/reply-data.ts';
import type { Context } from '../context.ts';
import { hintedCommand } from '../hinted-command.ts';

/** An endpoint that lives as long as this process, and the secret that its deliveries are signed with. */
export interface Registration {
  readonly secret: string;
  /** What the user should know of it. */
  readonly notes: readonly string[];
  end(): Promise<void>;
}

/** Milliseconds for taking the endpoint away after the run was told to end. */
const FAREWELL = 5_000;

/** This machine, in the alphabet of a uid. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const UID_PREFIX = `svc-listen.${MACHINE}.`;

/**
 * Makes an endpoint for this process, switching advanced webhooks on where they are off, and takes away what processes
 * of this machine that were killed left behind: the uid names the process.
 */
export async function register(context: Context, url: string): Promise<Registration> {
  const own = new AbortController();
  context.signal.addEventListener('abort', () => {
    setTimeout(() => own.abort(context.signal.reason), FAREWELL).unref();
  });
  const { client, close } = await open({ ...context, signal: own.signal });
  try {
    const endpoints = await loadResource('webhook-endpoints');
    const notes = await switchOn(context, client);
    await removeStale(client);
    const uid = `${UID_PREFIX}${processId}.${randomBytes(6).toString('hex')}`;
    const description = 'temporary: svc webhooks listen';
    const { id } = dataOf(await client.call(endpoints['webhooks.endpoints.create'], { url, uid, description }));
    const remove = () => removeEndpoint(client, id);
    try {
      const { secret } = dataOf(await client.call(endpoints['webhooks.endpoints.secret'], { endpointId: id }));
      return { secret, notes, end: () => takeLeave(context, remove).finally(close) };
    } catch (error) {
      await remove();
      throw error;
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** The service to register with. The embedded one delivers in this process, also what other processes cause. */
async function open(context: Context): Promise<Connection> {
  const connection = await connect(context);
  if (!context.options.local) return connection;
  const { localDeliveries } = await import('./local-deliveries.ts');
  const stop = await localDeliveries(context);
  return { client: connection.client, close: () => stop().finally(connection.close) };
}

/** The run is over, and what it was to say is said: an endpoint that stays is a nuisance, and no failure. */
async function takeLeave(context: Context, remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    const reason = messageOf(error);
    await context.warn(`the temporary endpoint is still there, and goes when you listen again: ${reason}`);
  }
}

async function switchOn({ options }: Context, client: Client): Promise<readonly string[]> {
  const notes: string[] = [];
  const config = await loadResource('webhook-config');
  const { isEnabled, encryptData, publicKey } = dataOf(await client.call(config['webhooks.advanced.get'], {}));
  if (!isEnabled) {
    await client.call(config['webhooks.advanced.update'], { isEnabled: true });
    const command = hintedCommand(options, 'webhooks', 'advanced', 'update', '--disable');
    notes.push(`advanced webhooks were off and are on now: ${command} switches them off`);
  }
  if (encryptData && publicKey !== '') notes.push('payloads come encrypted: --private-key opens them');
  return notes;
}

async function removeStale(client: Client): Promise<void> {
  const endpoints = await loadResource('webhook-endpoints');
  const stale: string[] = [];
  for await (const { data } of pages(client, endpoints['webhooks.endpoints.list'], {})) {
    for (const { id, uid } of data?.endpoints ?? []) if (uid && isStale(uid)) stale.push(id);
  }
  for (const id of stale) await removeEndpoint(client, id);
}

function isStale(uid: string): boolean {
  const [, number] = uid.startsWith(UID_PREFIX) ? (/^(\d{1,9})\./.exec(uid.slice(UID_PREFIX.length)) ?? []) : [];
  return number !== undefined && !isRunning(Number(number));
}

/** What is gone already is removed. */
async function removeEndpoint(client: Client, endpointId: string): Promise<void> {
  const endpoints = await loadResource('webhook-endpoints');
  try {
    await client.call(endpoints['webhooks.endpoints.delete'], { endpointId });
  } catch (error) {
    if (!(error instanceof SvcError && error.failure === 'not_found')) throw error;
  }
}
