import { dirname, resolve } from 'node:path';
import { hint, SvcError, stepWithPlaceholder } from '../kernel/errors.ts';
import { readTextIfExists } from '../kernel/files.ts';
import { checkFields, expectObject, FileFormatError, parseSettingsJson } from './json-file.ts';

const TEXT_KEYS = ['profile', 'org', 'output'] as const;
const KEYS = [...TEXT_KEYS, 'readOnly'];

export type FolderSettings = { readonly [Key in (typeof TEXT_KEYS)[number]]?: string } & {
  readonly readOnly?: boolean;
};

export interface FolderFile {
  readonly path: string;
  readonly settings: FolderSettings;
}

/**
 * Reads the `.svc.json` of a folder or its nearest parent. The file may only refer to saved
 * settings: write access to a folder must not allow redirecting credentials.
 * @throws SvcError `usage`, naming the file and the key
 */
export async function readFolderSettings(folder: string): Promise<FolderFile | undefined> {
  for await (const file of readFolderFiles(folder)) return file;
  return undefined;
}

/** Reads the `.svc.json` files of a folder and all of its parents, the nearest first. */
export async function* readFolderFiles(folder: string): AsyncGenerator<FolderFile> {
  const path = resolve(folder, '.svc.json');
  const text = await readTextIfExists(path);
  if (text !== undefined) yield { path, settings: parseFolderSettings(text, path) };
  const parent = dirname(dirname(path));
  if (parent !== dirname(path)) yield* readFolderFiles(parent);
}

function parseFolderSettings(text: string, path: string): FolderSettings {
  try {
    const fields = expectObject(parseSettingsJson(text), 'the content');
    const unknownKey = Object.keys(fields).find((key) => KEYS.every((known) => known !== key));
    if (unknownKey !== undefined)
      throw new FileFormatError(`'${unknownKey}' is not allowed in this file`);
    checkFields(fields, 'string', TEXT_KEYS, '');
    checkFields(fields, 'boolean', ['readOnly'], '');
    return fields;
  } catch (error) {
    if (!(error instanceof FileFormatError)) throw error;
    throw new SvcError('usage', `${path}: ${error.message}`, {
      hint: hint`the file may set profile, org, output, and readOnly; save URLs and secrets in a profile (${stepWithPlaceholder('configure', ['profiles', 'add'], '<name>')})`,
    });
  }
}
