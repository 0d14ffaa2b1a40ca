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

it(
  'the OpenAPI document generates TypeScript types that compile and enforce the rules',
  SLOW,
  async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(await createDocument()));
    const generator = join(import.meta.dirname, 'generate-types.ts');
    const { stdout: types } = await execute(
      process.execPath,
      [generator, join(folder, 'openapi.json')],
      {
        maxBuffer: 10_000_000,
      },
    );
    await writeFile(join(folder, 'service.ts'), types);
    await writeFile(join(folder, 'use.ts'), USE);
    const compiler = join(
      import.meta.dirname,
      '..',
      '..',
      'node_modules',
      'typescript',
      'bin',
      'tsc',
    );
    const compile = [
      compiler,
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'esnext',
      '--module',
      'nodenext',
    ];
    const compiled = await execute(
      process.execPath,
      [...compile, '--allowImportingTsExtensions', 'use.ts'],
      {
        cwd: folder,
      },
    ).catch((error) => error);
    expect(compiled.stdout).toBe('');
    expect(compiled.code).toBeUndefined();
  },
);
