import { isObject, tryParseJson } from '../kernel/json.ts';
import type { WireResponse } from './transport.ts';

const MAX_TEXT_LENGTH = 300;
const MAX_ID_LENGTH = 100;
/** Headers in which gateways and firewalls name a request for their operators. */
const ID_HEADERS = [
  'x-request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'cf-ray',
];
const ID_FIELDS = ['requestId', 'request_id', 'correlationId', 'traceId', 'instance'];

/**
 * Describes a response that is not from the service, to follow a message: the title of a page. Of an
 * error, also the request ID, and the title and detail of problem details (RFC 9457), or the message.
 * Empty if it says nothing.
 */
export function describeForeignBody({ httpStatus, body, header }: WireResponse): string {
  if ('flaw' in body) return '';
  // JSON of a success is data.
  if (httpStatus < 400) {
    const title = titleOf(body.text, httpStatus);
    return title && `: ${title}`;
  }
  const value = body.text.trimStart().startsWith('{') ? tryParseJson(body.text) : undefined;
  const fields = isObject(value) ? value : {};
  const text = isObject(value) ? describeProblem(value) : titleOf(body.text, httpStatus);
  const id =
    ID_FIELDS.map((name) => toLine(fields[name], MAX_ID_LENGTH)).find(Boolean) ??
    ID_HEADERS.map((name) => toLine(header?.(name), MAX_ID_LENGTH)).find(Boolean);
  return `${text && `: ${text}`}${id ? ` [request ID ${id}]` : ''}`;
}

function describeProblem({ title, detail, message }: Readonly<Record<string, unknown>>): string {
  return [title ?? message, detail]
    .map((text) => toLine(text, MAX_TEXT_LENGTH))
    .filter(Boolean)
    .join(': ');
}

/** Returns the title of a page, unless it only repeats the HTTP status. */
function titleOf(page: string, httpStatus: number): string {
  if (!page.trimStart().startsWith('<')) return '';
  const [, title = ''] = /<title[^>]*>([^<]*)<\/title>/i.exec(page.slice(0, 100_000)) ?? [];
  const text = toLine(decodeEntities(title), MAX_TEXT_LENGTH);
  return text === '' || text.startsWith(String(httpStatus)) ? '' : `"${text}"`;
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }));

function decodeEntities(text: string): string {
  return text
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&([a-z]+);/g, (whole, name: string) => ENTITIES.get(name) ?? whole);
}

function toLine(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return '';
  const line = value.replace(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
