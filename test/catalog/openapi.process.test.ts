import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { createDocument } from './openapi-document.ts';

const execute = promisify(execFile);

/** A program that uses the generated types; each line after `@ts-expect-error` must be an error. */
const USE = `
import type { components } from './service.ts';
type Schemas = components['schemas'];
declare const folders: Schemas['folders.list.output'];
export const names: (string | undefined)[] | undefined = folders[0]?.subFolders?.[0]?.subFolders?.map(
  (folder) => folder.folderName,
);
const editor = { organizationId: 'o', documentId: 'd', editorId: 'e' };
export const text: Schemas['crdt.add.input'] = { ...editor, type: 'text', data: 'x' };
// @ts-expect-error
export const noText: Schemas['crdt.add.input'] = { ...editor, type: 'text', data: 7 };
export const access: Schemas['permissions.add.input']['permissions'] = {
  resources: [{ type: 'organization', id: 'o' }, { type: 'document', id: 'd', organizationId: 'o' }],
};
// @ts-expect-error
export const noAccess: Schemas['permissions.add.input']['permissions'] = { resources: [{ type: 'document', id: 'd' }] };
// @ts-expect-error
export const noUsers: Schemas['users.add.input'] = { organizationId: 'o' };
`;

/** A program that uses the generated client; the line after `@ts-expect-error` must be an error. */
const CALLS = `
import { crdtAdd, foldersList, usersAdd } from './client/index.ts';
const users = [{ userId: 'u1', name: 'Ada' }];
export const added = usersAdd({ body: { data: { organizationId: 'acme', users } } });
// @ts-expect-error
export const noUsers = usersAdd({ body: { data: { organizationId: 'acme' } } });
const { data: answer } = await foldersList({ body: { data: { organizationId: 'acme' } } });
export const name: string | undefined = answer?.result.data?.[0]?.folderName;
const editor = { organizationId: 'acme', documentId: 'd1', editorId: 'e1' };
// @ts-expect-error
export const noText = crdtAdd({ body: { data: { ...editor, type: 'text', data: 7 } } });
`;

const COMPILER = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');

async function writeDocument(): Promise<string> {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(await createDocument()));
  return folder;
}

/** Compiles `use.ts` of a folder, which must have no errors. */
async function compile(folder: string, ...options: readonly string[]): Promise<void> {
  const words = [COMPILER, '--ignoreConfig', '--noEmit', '--strict', '--target', 'esnext'];
  const compiled = await execute(
    process.execPath,
    [...words, '--allowImportingTsExtensions', ...options, 'use.ts'],
    { cwd: folder },
  ).catch((error) => error);
  expect(compiled.stdout).toBe('');
  expect(compiled.code).toBeUndefined();
}

it(
  'the OpenAPI document generates TypeScript types that compile and enforce the rules',
  SLOW,
  async () => {
    const folder = await writeDocument();
    const { stdout: types } = await execute(
      process.execPath,
      [join(import.meta.dirname, 'generate-types.ts'), join(folder, 'openapi.json')],
      { maxBuffer: 10_000_000 },
    );
    await writeFile(join(folder, 'service.ts'), types);
    await writeFile(join(folder, 'use.ts'), USE);
    await compile(folder, '--module', 'nodenext');
  },
);

it(
  'the OpenAPI document generates a client that compiles and enforces the rules',
  SLOW,
  async () => {
    const folder = await writeDocument();
    const generator = join(import.meta.dirname, 'generate-client.ts');
    await execute(process.execPath, [generator, 'openapi.json', 'client'], { cwd: folder });
    await writeFile(join(folder, 'use.ts'), CALLS);
    await compile(folder, '--module', 'esnext', '--moduleResolution', 'bundler');
  },
);
