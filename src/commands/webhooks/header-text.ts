import { SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { groupHeaders, type HeaderList } from '../../webhooks/headers.ts';
import { hasSignatureHeaders } from '../../webhooks/signature.ts';

/**
 * Parses the headers of a delivery as other programs save them: lines of `name: value`, the output
 * of `curl -v` or `curl -i`, a JSON object, or the headers, a request, or a whole file of an HTTP
 * archive (HAR).
 * @throws SvcError `invalid_input`
 */
export function parseHeaderText(text: string, source: string): HeaderList {
  const content = text.replace(/^\uFEFF/, '');
  if (!/^\s*[{[]/.test(content) || VERBOSE_LINE.test(content))
    return parseHeaderLines(content, source);
  const json = tryParseJson(content);
  if (json === undefined) throw new SvcError('invalid_input', `${source}: not valid JSON`);
  return parseJsonHeaders(json, source);
}

function parseJsonHeaders(json: unknown, source: string): HeaderList {
  if (Array.isArray(json)) return json.map((header) => parseNamedHeader(header, source));
  const fields = isObject(json) ? json : {};
  if (isObject(fields['log'])) return parseArchive(fields['log'], source);
  if (isObject(fields['request'])) return parseJsonHeaders(fields['request'], source);
  if (Array.isArray(fields['headers'])) return parseJsonHeaders(fields['headers'], source);
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => toHeader(name, one, source)),
  );
}

/** Returns the headers of the only request in an archive, or of the only signed one. */
function parseArchive({ entries }: Readonly<Record<string, unknown>>, source: string): HeaderList {
  const requests = (Array.isArray(entries) ? entries : []).map((entry) =>
    parseJsonHeaders(entry, source),
  );
  const signed = requests.filter(isSigned);
  const [only, ...others] = requests.length === 1 ? requests : signed;
  if (only && others.length === 0) return only;
  throw new SvcError(
    'invalid_input',
    `${source}: the archive must contain one signed request, found ${signed.length}`,
    { hint: 'save the headers of one request as a JSON array' },
  );
}

function parseNamedHeader(header: unknown, source: string): HeaderList[number] {
  const { name, value }: { readonly name?: unknown; readonly value?: unknown } = Object(header);
  if (typeof name === 'string') return toHeader(name, value, source);
  throw new SvcError('invalid_input', `${source}: each header must have a name and a value`);
}

function toHeader(name: string, value: unknown, source: string): HeaderList[number] {
  if (typeof value === 'string' || typeof value === 'number') return [name, String(value)];
  throw new SvcError('invalid_input', `${source}: header ${name} must be text or a number`);
}

const START_LINE = /^([A-Z]+ \S+( HTTP\/[\d.]+)?|HTTP\/[\d.]+ \d{3}.*)$/;
/** A line of a request or a response in the output of `curl -v`. */
const VERBOSE_LINE = /^[<>] /m;

interface NumberedLine {
  readonly line: string;
  readonly number: number;
}

function parseHeaderLines(text: string, source: string): HeaderList {
  const lines = text.split(/\r\n|\n|\r/).map((line, index) => ({ line, number: index + 1 }));
  if (!VERBOSE_LINE.test(text)) return parseLines(lines, source);
  const [request, response] = ['>', '<'].map((sign) =>
    parseLines(
      lines
        // The body of a response follows its headers, and may be a page that starts with `<html>`.
        .filter(({ line }) => line === sign || line.startsWith(`${sign} `))
        .map(({ line, number }) => ({ line: line.slice(1).trimStart(), number })),
      source,
    ),
  );
  // A delivery is either the request, or fetched from a service that received it.
  return [request, response].find((headers = []) => isSigned(headers)) ?? request ?? [];
}

function parseLines(lines: readonly NumberedLine[], source: string): HeaderList {
  return lines.flatMap(({ line, number }, at): HeaderList => {
    if (line.trim() === '' || (at === 0 && START_LINE.test(line))) return [];
    const colon = line.indexOf(':');
    if (colon > 0) return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    throw new SvcError('invalid_input', `${source}: line ${number} must be "name: value"`);
  });
}

function isSigned(headers: HeaderList): boolean {
  return hasSignatureHeaders(groupHeaders(headers));
}
