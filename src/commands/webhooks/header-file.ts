import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { HeaderList } from '../../webhooks/headers.ts';

/**
 * Headers from a JSON object, or from lines of `name: value` as tools print them: a request line before them is left out.
 * @throws SvcError `bad_data` for anything else
 */
export function parseHeaders(text: string, source: string): HeaderList {
  return text.trimStart().startsWith('{') ? fromJson(text, source) : fromLines(text, source);
}

function fromJson(text: string, source: string): HeaderList {
  const json = parsed(text, source);
  return Object.entries(isObject(json) ? json : {}).flatMap(([name, value]) =>
    [value].flat().map((one): HeaderList[number] => {
      if (typeof one === 'string' || typeof one === 'number') return [name, String(one)];
      throw new SvcError('bad_data', `${source}: the header ${name} is no text`);
    }),
  );
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SvcError('bad_data', `${source}: not valid JSON`, { cause: error });
  }
}

const REQUEST_LINE = /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/;

function fromLines(text: string, source: string): HeaderList {
  return text.split(/\r\n|\n|\r/).flatMap((line, index): HeaderList => {
    if (line.trim() === '' || (index === 0 && REQUEST_LINE.test(line))) return [];
    const at = line.indexOf(':');
    if (at > 0) return [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
    throw new SvcError('bad_data', `${source}: line ${index + 1} is not 'name: value'`);
  });
}
