import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperationTypes } from '../../packaging/operation-types.ts';
import { HOME, run } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { npm, packPackage } from './packed.ts';

const COMPILER = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
const execute = promisify(execFile);

/** Type-checks the files of a folder with strict settings, as a consumer would. */
async function complaints(
  folder: string,
  files: readonly string[],
  options: Record<string, unknown> = {},
) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    types: [],
    ...options,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  // Several threads check the same types more than once.
  const compiling = execute(process.execPath, [COMPILER, '--project', folder, '--singleThreaded'], {
    cwd: folder,
  });
  return compiling.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** A project with only the package installed, created once. */
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-library-'));
  const { tarball } = await packPackage();
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await npm(['install', tarball, '--ignore-scripts', '--omit=optional'], project);
}, 120_000);

afterAll(() => rm(project, { recursive: true, force: true }));

const PROCESS = 'declare const process: { env: Record<string, string | undefined> };\n';

describe('the installed library', () => {
  it('compiles and runs each example in its documentation', async () => {
    const page = await readFile(join(HOME, 'docs', 'library.md'), 'utf8');
    const examples = Array.from(
      page.matchAll(/^```ts\n([\s\S]*?)^```$/gm),
      ([, code = '']) => code,
    );
    expect(examples.length).toBeGreaterThan(4);
    const files = examples.map((_, at) => `example-${at}.ts`);
    await Promise.all(
      examples.map((code, at) => writeFile(join(project, files[at] ?? ''), PROCESS + code)),
    );
    expect(await complaints(project, files, { skipLibCheck: true })).toBe('');
    for (const [at, code] of examples.entries()) {
      const promised = Array.from(
        code.matchAll(/console\.log\(.*\); \/\/ (.*)/g),
        ([, output = '']) => output,
      );
      const { stdout, stderr, code: exitCode } = await run([files[at] ?? ''], { cwd: project });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout.split('\n').filter(Boolean)).toEqual(
        promised.flatMap((output) => output.split(', then ')),
      );
    }
  });

  it('compiles and runs the example of a test suite', async () => {
    await cp(join(HOME, 'examples', 'develop'), join(project, 'develop'), { recursive: true });
    await symlink(join(HOME, 'node_modules', 'vitest'), join(project, 'node_modules', 'vitest'));
    const options = { types: ['node'], typeRoots: [join(HOME, 'node_modules', '@types')] };
    const compiled = { ...options, skipLibCheck: true, allowImportingTsExtensions: true };
    expect(await complaints(project, ['develop/invite.test.ts'], compiled)).toBe('');
    const suite = await run(
      [join(HOME, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'develop'],
      { cwd: project },
    );
    expect(suite, suite.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/4 passed/),
    });
  });

  it('has types that reject invalid input, in a project without other types', async () => {
    const wrong = [
      "client.call('users.gone', {});",
      "client.call('documents.list', {});",
      "client.call('documents.list', { organizationId: 1 });",
      "client.call('documents.list', { organizationId: 'acme', page: 1 });",
    ];
    const start =
      "import { createClient } from '@collab-svc/svc';\nconst client = createClient({ baseUrl: 'https://a.example' });\n";
    await writeFile(join(project, 'wrong.ts'), `${start}${wrong.join('\n')}\n`);
    const said = await complaints(project, ['wrong.ts'], {
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
    });
    const lines = Array.from(said.matchAll(/^wrong\.ts\((\d+),/gm), ([, line]) => Number(line));
    expect(lines).toEqual([3, 4, 5, 6]);
    expect(said).not.toMatch(/node_modules/);
  });

  it('does not load the embedded service for programs that use only the client', async () => {
    const code = `
      const fs = process.getBuiltinModule('node:fs');
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...others) => { console.log(String(file)); return readFileSync(file, ...others); };
      await import('@collab-svc/svc');`;
    const { stdout } = await run(['--input-type=module', '-e', code], { cwd: project });
    const files = Array.from(
      stdout.matchAll(/node_modules\/@collab-svc\/svc\/(.*)/g),
      ([, file]) => `dist/${file}`,
    );
    const { outputs } = JSON.parse(await readFile(join(HOME, 'dist', 'metafile.json'), 'utf8'));
    // The entry, which checks the Node.js version first, is not part of the bundle.
    const sources = files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    expect(sources).toContain('src/index.ts');
    expect(
      sources.filter((source) => /^src\/service\/|node_modules\/kysely\//.test(source)),
    ).toEqual([]);
  });
});

describe('the generated types of operations', () => {
  it('match the schemas', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'written.ts'), await createOperationTypes());
    await writeFile(
      join(folder, 'compared.ts'),
      `import type { OperationTypes as Source } from '${HOME}/src/library/operations.ts';
       import type { OperationTypes as Written } from './written.ts';
       type Loose<T> = T extends readonly (infer E)[] ? readonly Loose<E>[]
         : T extends object ? { readonly [K in keyof T]: Loose<T[K]> } : T;
       type Differing = { [N in keyof Source & keyof Written]:
         Source[N]['input'] extends Written[N]['input']
           ? Written[N]['input'] extends Loose<Source[N]['input']>
             ? Source[N]['output'] extends Written[N]['output'] ? never : \`\${N}: output\`
             : \`\${N}: takes more\`
           : \`\${N}: takes less\` }[keyof Source & keyof Written] | Exclude<keyof Source, keyof Written>;
       export const differing: never = null as unknown as Differing;`,
    );
    const options = { allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'] };
    const typeRoots = [join(HOME, 'node_modules', '@types')];
    expect(await complaints(folder, ['compared.ts'], { ...options, typeRoots })).toBe('');
  });
});
