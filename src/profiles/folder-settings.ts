import { dirname, resolve } from 'node:path';
import { hint, SvcError, stepWithPlaceholder } from '../kernel/errors.ts';
import { readTextIfExists } from '../kernel/files.ts';
import { checkFields, expectObject, FileFormatError, parseSettingsJson } from './json-file.ts';

const KEYS = ['profile', 'org', 'output'] as const;
export type FolderSettings = { readonly [Key in (typeof KEYS)[number]]?: string };

/**
 * Reads the `.svc.json` of a folder or its nearest parent. The file may only refer to saved
 * settings: write access to a folder must not allow redirecting credentials.
 * @throws SvcError `usage`, naming the file and the key
 */
export async function readFolderSettings(
  folder: string,
): Promise<{ path: string; settings: FolderSettings } | undefined> {
  const path = resolve(folder, '.svc.json');
  const text = await readTextIfExists(path);
  if (text !== undefined) return { path, settings: parseFolderSettings(text, path) };
  const parent = dirname(dirname(path));
  return parent === dirname(path) ? undefined : readFolderSettings(parent);
}

function parseFolderSettings(text: string, path: string): FolderSettings {
  try {
    const fields = expectObject(parseSettingsJson(text), 'the content');
    const unknownKey = Object.keys(fields).find((key) => KEYS.every((known) => known !== key));
    if (unknownKey !== undefined)
      throw new FileFormatError(`'${unknownKey}' is not allowed in this file`);
    checkFields(fields, 'string', KEYS, '');
    return fields;
  } catch (error) {
    if (!(error instanceof FileFormatError)) throw error;
    throw new SvcError('usage', `${path}: ${error.message}`, {
      hint: hint`the file may set profile, org, and output; save URLs and secrets in a profile (${stepWithPlaceholder('configure', ['profiles', 'add'], '<name>')})`,
    });
  }
}
