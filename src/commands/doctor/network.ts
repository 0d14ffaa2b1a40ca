import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Target } from '../../client/client.ts';
import { createCertificatePageError } from '../../client/client-certificate.ts';
import { createNetworkFailure } from '../../client/network-failure.ts';
import { findProxy } from '../../client/proxy.ts';
import type { WireRequest } from '../../client/request.ts';
import { describeConnectionError } from '../../kernel/connection-error.ts';
import { hint, SvcError, step, systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { once } from '../../kernel/once.ts';
import { findAuthorities, skipsCertificateChecks } from '../connection/ca-file.ts';
import { findClientCertificate, openNetworkRoute } from '../connection/service-route.ts';
import type { Context } from '../context.ts';
import {
  type Check,
  type CheckResult,
  fail,
  info,
  ok,
  skipped,
  skippedBecause,
  warn,
} from './check.ts';
import { tryPlainConnection, tryTlsConnection } from './connections.ts';

/** Tolerated clock skew, in milliseconds. Webhook signatures tolerate five minutes. */
const MAX_SKEW = 120_000;
type ServiceRoute = NonNullable<Awaited<ReturnType<typeof findRoute>>>;

export function createNetworkChecks(context: Context): readonly Check[] {
  const foundRoute = once(() => findRoute(context));
  const route = async () => {
    const known = await foundRoute();
    if (!known) throw new TypeError('a network check ran without a base URL');
    return known;
  };
  const probeResult = once(async () => probe(context, await route()));
  return [
    { name: 'proxy', run: async () => describeProxy(await foundRoute()) },
    { name: 'dns', after: ['proxy'], run: async () => resolveName(await route()) },
    {
      name: 'connection',
      after: ['dns'],
      run: async (signal) => checkConnection(context, await route(), signal),
    },
    {
      name: 'answer',
      after: ['connection'],
      run: async () => describeResponse(await probeResult()),
    },
    { name: 'clock', after: ['answer'], run: async () => checkClock(await probeResult()) },
  ];
}

async function findRoute(context: Context) {
  const found = await context.target().catch(() => undefined);
  if (!found?.baseUrl) return undefined;
  const url = new URL(found.baseUrl.value);
  return { url, proxy: await findProxy(url, context.environment) };
}

function describeProxy(route: ServiceRoute | undefined): CheckResult {
  if (!route) return skippedBecause('profile', 'no_credential');
  return route.proxy
    ? ok(`${route.proxy.host} (${route.proxy.variable})`)
    : info(`no proxy for ${route.url.host}`);
}

async function resolveName({ url, proxy }: ServiceRoute): Promise<CheckResult> {
  if (proxy) return skipped(`the proxy ${proxy.host} resolves the name`);
  const host = hostnameOf(url);
  if (isIP(host)) return ok(`${host} is an IP address`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok(`${host} resolves to ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const problem = `${host}: ${describeConnectionError(error) ?? systemErrorCode(error) ?? ''}`;
    return fail(
      'unreachable',
      problem,
      hint`check the base URL (${step('show', 'whoami', '--all')}) and the network`,
    );
  }
}

async function checkConnection(
  context: Context,
  { url, proxy }: ServiceRoute,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (proxy) return skipped(`the proxy ${proxy.host} opens the connection`);
  const target = {
    host: hostnameOf(url),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    signal,
  };
  const clientCertificate = await findClientCertificate(context, url.href);
  const hasClientCertificate = clientCertificate !== undefined;
  try {
    if (url.protocol === 'https:') {
      const tls = { authorities: await findAuthorities(context), clientCertificate };
      const result = await tryTlsConnection({ ...target, ...tls }, context.clock.now());
      // Calls succeed with this certificate, because certificate checks are off.
      const isUnchecked = skipsCertificateChecks(context.environment) && result.state === 'fail';
      return isUnchecked ? warn(result.detail, result.fix ?? '') : result;
    }
    await tryPlainConnection(target);
  } catch (error) {
    if (error instanceof SvcError || signal.aborted) throw error;
    throw createNetworkFailure(error, url.host, { hasClientCertificate }).error;
  }
  const detail = `unencrypted HTTP to ${url.host}`;
  return isLoopback(url)
    ? ok(`${detail}, which is this machine`)
    : warn(`${detail}: anyone on the network can read the traffic`, 'use https://');
}

type ProbeResult = Awaited<ReturnType<typeof probe>>;

const EMPTY_CALL: Omit<WireRequest, 'url'> = {
  headers: { 'content-type': 'application/json' },
  credentials: {},
  body: '{"data":{}}',
};

async function probe(context: Context, { url }: ServiceRoute) {
  const target: Target = { baseUrl: url.href, headerPrefix: '' };
  const { wire, close } = await openNetworkRoute(context, target);
  const { clock, signal } = context;
  const started = clock.now();
  try {
    const response = await wire.transport({ url: url.href, ...EMPTY_CALL }, signal);
    const ended = clock.now();
    const { httpStatus, date = '', body } = response;
    const text = 'text' in body ? body.text : '';
    const isSent = wire.hasClientCertificate === true;
    const refusal = createCertificatePageError(httpStatus, text, url.host, isSent);
    if (refusal) throw refusal;
    const serviceTime = Date.parse(date);
    // The header has a resolution of one second. This compares the middle of that second with the
    // middle of the call. Time by which the service's clock is ahead, in milliseconds.
    const skew = Number.isNaN(serviceTime) ? undefined : serviceTime + 500 - (started + ended) / 2;
    return { httpStatus, milliseconds: ended - started, skew };
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw createNetworkFailure(error, url.host, wire).error;
  } finally {
    await close();
  }
}

/**
 * Describes the response to the empty call. Most services reject the call, because it names no
 * operation.
 */
function describeResponse({ httpStatus, milliseconds }: ProbeResult): CheckResult {
  const detail = `HTTP ${httpStatus} in ${Math.round(milliseconds)} ms`;
  if (httpStatus >= 500)
    return warn(detail, 'the service or its gateway has a problem: try again later');
  return httpStatus < 300 ? ok(detail) : info(detail);
}

function checkClock({ skew }: ProbeResult): CheckResult {
  if (skew === undefined) return skipped('the response has no Date header');
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MAX_SKEW)
    return ok(`within ${Math.max(1, seconds)} s of the service's clock`);
  return warn(
    `${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's clock: webhook signatures and expiry times may be wrong`,
    "synchronize this machine's clock with a time server",
  );
}

function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
