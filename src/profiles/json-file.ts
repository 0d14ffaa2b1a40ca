import { basename, dirname } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { readTextIfExists, withoutByteOrderMark } from '../kernel/files.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import { type ReplaceFileOptions, removeStagedFiles, replaceFile } from '../kernel/staged-file.ts';

/**
 * Reads a settings file.
 * @throws SvcError `local`, naming the path, if the file is damaged: the user must repair it
 */
export async function readJsonFile<Value>(
  path: string,
  parse: (value: unknown) => Value,
): Promise<Value | undefined> {
  const text = await readTextIfExists(path);
  if (text === undefined) return undefined;
  try {
    return parse(parseSettingsJson(text));
  } catch (error) {
    if (!(error instanceof FileFormatError)) throw error;
    throw new SvcError('local', `${path} is damaged: ${error.message}`, {
      hint: 'repair the file, or move it elsewhere; svc never overwrites a damaged file',
    });
  }
}

/**
 * Lets `conf` write a staged copy: its own rename could truncate a good file on a full disk. The
 * caller must hold a lock.
 */
export async function writeJsonFile(path: string, fields: Fields): Promise<void> {
  const { default: Conf } = await import('conf');
  await removeStagedFiles(path);
  const write: ReplaceFileOptions['write'] = async (staged) => {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(staged),
      configName: basename(staged),
      fileExtension: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize,
    });
    conf.store = fields;
  };
  await replaceFile(path, serialize(fields), { write });
}

function serialize(fields: Fields): string {
  return `${JSON.stringify(fields, null, 2)}\n`;
}

export class FileFormatError extends Error {}

export function parseSettingsJson(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    throw new FileFormatError('the content is not valid JSON'); // the parser's own message quotes the text
  }
}

export function expectObject(value: unknown, name: string): Fields {
  if (isObject(value)) return value;
  throw new FileFormatError(`${name} is not an object`);
}

/** @throws FileFormatError if a named field is present with another type */
export function checkFields(
  fields: Fields,
  type: 'string' | 'boolean',
  names: readonly string[],
  prefix: string,
) {
  for (const name of names) {
    if (Object.hasOwn(fields, name) && typeof fields[name] !== type)
      throw new FileFormatError(
        `${prefix}${name} must be ${type === 'string' ? 'a string' : 'true or false'}`,
      );
  }
}
