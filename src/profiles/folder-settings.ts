import { dirname, resolve } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { readTextIfExists } from '../kernel/files.ts';
import { hint, template } from '../kernel/hint.ts';
import { checkFields, fieldsOf, parseJson, ShapeError } from './json-file.ts';

/** What `.svc.json` may say about a folder. */
export interface FolderSettings {
  readonly profile?: string;
  readonly org?: string;
  readonly output?: string;
}

const KEYS = ['profile', 'org', 'output'];

/**
 * The `.svc.json` of a folder or the nearest one above it. Whoever can write there must not be able to choose where
 * credentials go, so it names things and holds nothing else.
 * @throws SvcError `usage`, naming the file and the key
 */
export async function folderSettings(folder: string): Promise<{ path: string; settings: FolderSettings } | undefined> {
  const path = resolve(folder, '.svc.json');
  const text = await readTextIfExists(path);
  if (text !== undefined) return { path, settings: shapeOf(text, path) };
  const parent = dirname(dirname(path));
  return parent === dirname(path) ? undefined : folderSettings(parent);
}

function shapeOf(text: string, path: string): FolderSettings {
  try {
    const fields = fieldsOf(parseJson(text), 'it');
    const stranger = Object.keys(fields).find((key) => !KEYS.includes(key));
    if (stranger !== undefined) throw new ShapeError(`'${stranger}' is not allowed here`);
    checkFields(fields, 'string', KEYS, '');
    return fields;
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new SvcError('usage', `${path}: ${error.message}`, {
      hint: hint`it may name a profile, org and output; a URL or a secret belongs in a profile (${template('configure', ['profiles', 'add'], '<name>')})`,
    });
  }
}
