import { basename, dirname, extname } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { discardStaged, type Replacement, readTextIfExists, replaceFile, withoutMark } from '../kernel/files.ts';
import { isObject } from '../kernel/is-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a file of settings. A damaged one is the user's to repair: @throws SvcError `local` with the path. */
export async function readJsonFile<Value>(path: string, shape: (value: unknown) => Value): Promise<Value | undefined> {
  const text = await readTextIfExists(path);
  if (text === undefined) return undefined;
  try {
    return shape(parseJson(text));
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new SvcError('local', `${path} is damaged: ${error.message}`, {
      hint: 'repair the file, or move it away; it is never overwritten',
    });
  }
}

/**
 * Replaces a file of settings by way of `conf`, which writes a staged copy: its own rename would put a cut file over a
 * good one when the disk is full. Only under a lock.
 */
export async function writeJsonFile(path: string, fields: Fields): Promise<void> {
  const { default: Conf } = await import('conf');
  await discardStaged(path);
  const write: Replacement['write'] = async (staged) => {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(staged),
      configName: basename(staged, extname(staged)),
      fileExtension: extname(staged),
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

/** What is wrong with the content of a file. The message never repeats the content, which may be a secret. */
export class ShapeError extends Error {}

/** @throws ShapeError */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    throw new ShapeError('it is not valid JSON'); // what the parser says quotes the text
  }
}

/** @throws ShapeError */
export function fieldsOf(value: unknown, name: string): Fields {
  if (isObject(value)) return value;
  throw new ShapeError(`${name} is not an object`);
}

/** The named fields of an object, each of the given type where it is there. @throws ShapeError */
export function checkFields(fields: Fields, type: 'string' | 'boolean', names: readonly string[], where: string): void {
  for (const name of names) {
    if (Object.hasOwn(fields, name) && typeof fields[name] !== type) {
      throw new ShapeError(`${where}${name} is no ${type === 'string' ? 'text' : 'true or false'}`);
    }
  }
}
