import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { HeaderList } from '../../webhooks/headers.ts';

/**
 * Parses headers from a JSON object, or from `name: value` lines as tools print them. A leading request line is skipped.
 * @throws SvcError `bad_data` for any other input
 */
export function parseHeaders(text: string, source: string): HeaderList {
  return text.trimStart().startsWith('{') ? parseJsonHeaders(text, source) : parseHeaderLines(text, source);
}

function parseJsonHeaders(text: string, source: string): HeaderList {
  const json = parseJsonText(text, source);
  return Object.entries(isObject(json) ? json : {}).flatMap(([name, value]) =>
    [value].flat().map((one): HeaderList[number] => {
      if (typeof one === 'string' || typeof one === 'number') return [name, String(one)];
      throw new SvcError('bad_data', `${source}: header ${name} must be text or a number`);
    }),
  );
}

function parseJsonText(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SvcError('bad_data', `${source}: not valid JSON`, { cause: error });
  }
}

const REQUEST_LINE = /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/;

function parseHeaderLines(text: string, source: string): HeaderList {
  return text.split(/\r\n|\n|\r/).flatMap((line, index): HeaderList => {
    if (line.trim() === '' || (index === 0 && REQUEST_LINE.test(line))) return [];
    const at = line.indexOf(':');
    if (at > 0) return [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
    throw new SvcError('bad_data', `${source}: line ${index + 1} must be "name: value"`);
  });
}
