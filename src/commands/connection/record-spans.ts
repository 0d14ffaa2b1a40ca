import { randomBytes } from 'node:crypto';
import type { AttemptSpan, CallSpan, TracedOperation } from '../../client/tracer.ts';
import type { Environment } from '../../kernel/folders.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { formatTraceParent, parseTraceParent } from '../../kernel/trace-parent.ts';
import { version } from '../../kernel/version.ts';
import type { Tracing } from '../context.ts';

/** Time to send the spans when a command ends, in milliseconds. */
const EXPORT_TIMEOUT = 2_000;
/** Spans of one command. A bulk job makes more calls than anyone looks at. */
const MAX_SPANS = 1_000;
const SAMPLED = '01';

interface Span {
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  end?: bigint;
  attributes: readonly Attribute[];
  failed: boolean;
}

type Attribute = readonly [key: string, value: string | number | undefined];

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;

/**
 * Starts the trace of a command. Its spans contain names, times, and status codes, and neither data
 * nor credentials.
 * @returns undefined unless the environment names a collector
 */
export function recordSpans(environment: Environment): Tracing | undefined {
  const endpoint = endpointOf(environment);
  if (endpoint === undefined || environment['OTEL_SDK_DISABLED'] === 'true') return undefined;
  const parent = parseTraceParent(environment['TRACEPARENT']);
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const flags = parent?.flags ?? SAMPLED;
  const state = environment['TRACESTATE'];
  const spans: Span[] = [];
  let dropped = 0;
  const start = (name: string, kind: number, outer: string | undefined): Span => {
    const spanId = randomBytes(8).toString('hex');
    const span = { spanId, parent: outer, name, kind, start: now(), attributes: [], failed: false };
    if (spans.length < MAX_SPANS) spans.push(span);
    else dropped += 1;
    return span;
  };
  const root = start('svc', INTERNAL, parent?.spanId);
  const contextOf = ({ spanId }: Span) => formatTraceParent({ traceId, spanId, flags });
  return {
    traceId,
    variables: { TRACEPARENT: contextOf(root) },
    startCall: ({ command, path }: TracedOperation): CallSpan => {
      const call = start(command?.join(' ') ?? path, INTERNAL, root.spanId);
      return {
        startAttempt: (attempt, url): AttemptSpan => {
          const span = start('POST', CLIENT, call.spanId);
          const { hostname, port } = new URL(url);
          return {
            headers: {
              traceparent: contextOf(span),
              ...(parent && state && { tracestate: state }),
            },
            end: (httpStatus) =>
              finish(span, httpStatus === undefined || httpStatus >= 400, [
                ['http.request.method', 'POST'],
                ['http.request.resend_count', attempt > 1 ? attempt - 1 : undefined],
                ['http.response.status_code', httpStatus],
                ['server.address', hostname],
                ['server.port', port === '' ? undefined : Number(port)],
                ['url.path', path],
              ]),
          };
        },
        end: (failure) => finish(call, failure !== undefined, [['error.type', failure]]),
      };
    },
    finish: async (command, exitCode) => {
      const named = { ...root, name: command };
      finish(named, exitCode !== 0, [['process.exit.code', exitCode]]);
      const ended = [named, ...spans.slice(1)].filter(({ end }) => end !== undefined);
      const lost = dropped > 0 ? ` and dropped ${dropped}` : '';
      return send(endpoint, environment, createExport(traceId, ended)).then(
        () => `sent ${formatNounCount(ended.length, 'span')}${lost}`,
        (error: unknown) => `sent no spans: ${reasonOf(error)}`,
      );
    },
  };
}

function finish(span: Span, failed: boolean, attributes: readonly Attribute[]): void {
  Object.assign(span, { end: now(), failed, attributes });
}

function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

function endpointOf(environment: Environment): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: base } =
    environment;
  return traces || (base ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined);
}

/** Creates the JSON form of an export. */
function createExport(traceId: string, spans: readonly Span[]): object {
  const scope = { name: 'svc', version };
  const resource = {
    attributes: toAttributes([
      ['service.name', 'svc'],
      ['service.version', version],
    ]),
  };
  const written = spans.map(({ spanId, parent, name, kind, start, end, attributes, failed }) => ({
    traceId,
    spanId,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: toAttributes(attributes),
    status: failed ? { code: ERROR } : {},
  }));
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: written }] }] };
}

function toAttributes(attributes: readonly Attribute[]): readonly object[] {
  return attributes.flatMap(([key, value]) => {
    if (value === undefined) return [];
    const typed = typeof value === 'number' ? { intValue: String(value) } : { stringValue: value };
    return [{ key, value: typed }];
  });
}

async function send(endpoint: string, environment: Environment, body: object): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headersOf(environment), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(EXPORT_TIMEOUT),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector responded with HTTP ${response.status}`);
}

/** Parses `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, percent-encoded. */
function headersOf({ OTEL_EXPORTER_OTLP_HEADERS: text = '' }: Environment) {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) return [];
    const value = decodeURIComponent(pair.slice(at + 1).trim());
    rememberSecret(value);
    return [[pair.slice(0, at).trim(), value] as const];
  });
  return Object.fromEntries(pairs);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError')
    return `the collector did not respond within ${EXPORT_TIMEOUT / 1_000} s`;
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
