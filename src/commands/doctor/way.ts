import type { Target } from '../../client/client.ts';
import { networkFailure } from '../../client/network-failure.ts';
import { type NetworkProxy, proxyFor } from '../../client/proxy.ts';
import type { WireRequest } from '../../client/request.ts';
import { connectionFault } from '../../kernel/connection-fault.ts';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { once } from '../../kernel/once.ts';
import { readCertificates } from '../call/ca-file.ts';
import { skipsCertificateChecks } from '../call/certificate-checks.ts';
import { networkRoute } from '../call/route.ts';
import type { Context } from '../context.ts';
import { type Check, fail, ok, skipped, type Verdict, warn } from './check.ts';

/** The clock of this machine may be this many milliseconds off: signatures of webhooks allow five minutes. */
const MOST_SKEW = 120_000;

/** Where the service is, and how it is reached. */
interface Way {
  readonly url: URL;
  readonly proxy: NetworkProxy | undefined;
}

/** What is about the way to the service: names, connections, certificates, proxies, and that something answers. */
export function wayChecks(context: Context): readonly Check[] {
  const found = once(() => findWay(context));
  const way = async () => {
    const known = await found();
    if (!known) throw new TypeError('a check of the way ran before there was one');
    return known;
  };
  const answered = once(async () => askOnce(context, await way()));
  return [
    { name: 'proxy', run: async () => proxyInUse(await found()) },
    { name: 'dns', after: ['proxy'], run: async () => names(await way()) },
    { name: 'connection', after: ['dns'], run: async (signal) => connection(context, await way(), signal) },
    { name: 'answer', after: ['connection'], run: async () => answer(await answered()) },
    { name: 'clock', after: ['answer'], run: async () => clockSkew(await answered()) },
  ];
}

/** @returns nothing where no address is configured, or no settings can be read: the check of the profile says why. */
async function findWay({ openSettings, environment }: Context): Promise<Way | undefined> {
  const settings = await openSettings().catch(() => undefined);
  if (!settings?.baseUrl) return undefined;
  const url = new URL(settings.baseUrl.value);
  return { url, proxy: await proxyFor(url, environment) };
}

function proxyInUse(way: Way | undefined): Verdict {
  // The checks behind this one have nowhere to go either.
  if (!way) return { ...skipped('there is no address to go to'), failure: 'no_credential' };
  return ok(way.proxy ? `${way.proxy.host} (${way.proxy.variable})` : `none for ${way.url.host}`);
}

async function names({ url, proxy }: Way): Promise<Verdict> {
  if (proxy) return skipped(`${proxy.host} looks the name up`);
  const host = bareHost(url);
  const [{ lookup }, { isIP }] = await Promise.all([import('node:dns/promises'), import('node:net')]);
  if (isIP(host)) return ok(`${host} is an address`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} is ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    return fail(
      'unreachable',
      `${host}: ${connectionFault(error) ?? systemErrorCode(error) ?? ''}`,
      hint`check the base URL (${step('show', 'auth', 'status')}) and the network`,
    );
  }
}

async function connection(context: Context, { url, proxy }: Way, signal: AbortSignal): Promise<Verdict> {
  if (proxy) return skipped(`${proxy.host} opens it`);
  const { openPlain, openSecure } = await import('./connections.ts');
  const at = { host: bareHost(url), port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80), signal };
  try {
    if (url.protocol === 'https:') {
      const { caFile } = context.options;
      const authorities = caFile === undefined ? undefined : await readCertificates(caFile, context.cwd);
      const verdict = await openSecure({ ...at, authorities }, context.clock.now());
      // Calls go through all the same.
      const isUnchecked = skipsCertificateChecks(context.environment) && verdict.state === 'fail';
      return isUnchecked ? warn(verdict.detail, verdict.fix ?? '') : verdict;
    }
    await openPlain(at);
  } catch (error) {
    if (error instanceof SvcError || signal.aborted) throw error;
    throw networkFailure(error, url.host).error;
  }
  const detail = `plain http to ${url.host}`;
  return isLoopback(url)
    ? ok(`${detail}, which is this machine`)
    : warn(`${detail}: everybody on the way can read it`, 'use https://');
}

interface Answered {
  readonly httpStatus: number;
  readonly milliseconds: number;
  /** The service's clock against this one, in milliseconds; undefined when it does not tell the time. */
  readonly skew: number | undefined;
}

const NOTHING: Omit<WireRequest, 'url'> = {
  headers: { 'content-type': 'application/json' },
  credentials: {},
  envelope: { data: {} },
  body: '{"data":{}}',
};

/** Asks the base URL for nothing in particular, without any credential, in the way in which calls ask. */
async function askOnce(context: Context, { url, proxy }: Way): Promise<Answered> {
  const target: Target = { baseUrl: url.href, headerPrefix: '' };
  const { wire, close } = await networkRoute(context, target);
  const { clock, signal } = context;
  const started = clock.now();
  try {
    const { httpStatus, date = '' } = await wire.transport({ url: url.href, ...NOTHING }, signal);
    const ended = clock.now();
    const told = Date.parse(date);
    // The header has whole seconds: the middle of its second against the middle of the call.
    const skew = Number.isNaN(told) ? undefined : told + 500 - (started + ended) / 2;
    return { httpStatus, milliseconds: ended - started, skew };
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw networkFailure(error, url.host, proxy).error;
  } finally {
    await close();
  }
}

function answer({ httpStatus, milliseconds }: Answered): Verdict {
  return ok(`HTTP ${httpStatus} in ${Math.round(milliseconds)} ms`);
}

function clockSkew({ skew }: Answered): Verdict {
  if (skew === undefined) return skipped('the service does not tell the time');
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MOST_SKEW) return ok(`within ${Math.max(1, seconds)} s of the service's`);
  return warn(
    `${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's: signatures of webhooks and times of expiry go wrong`,
    "set this machine's clock, best by a time server",
  );
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
