import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOperationTypes } from './operation-types.ts';

const ENTRY = 'index.d.ts';
const GENERATED = join('library', 'operations.d.ts');
const IMPORT = /(?<=^(?:import|export) [^;']*\bfrom ')[^']+(?=')/gm;

/**
 * Creates the type declarations of the library by path, starting with `index.d.ts`. The
 * declarations are self-contained: they import neither dependencies nor the rest of the source.
 */
export async function createDeclarations(): Promise<ReadonlyMap<string, string>> {
  const emitted = await mkdtemp(join(tmpdir(), 'svc-types-'));
  try {
    await emit(emitted);
    await writeFile(join(emitted, GENERATED), await createOperationTypes());
    return await collectReachable(emitted);
  } finally {
    await rm(emitted, { recursive: true });
  }
}

async function emit(folder: string): Promise<void> {
  const compiler = fileURLToPath(
    new URL('bin/tsc', import.meta.resolve('typescript/package.json')),
  );
  const project = join(folder, 'tsconfig.json');
  const home = process.cwd();
  const settings = {
    extends: join(home, 'tsconfig.json'),
    compilerOptions: {
      // `npm run check:types` checks them.
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: folder,
      tsBuildInfoFile: join(folder, 'tsconfig.tsbuildinfo'),
      rootDir: join(home, 'src'),
      typeRoots: [join(home, 'node_modules/@types')],
    },
    files: [join(home, 'src', 'index.ts')],
    include: [],
  };
  await writeFile(project, JSON.stringify(settings));
  execFileSync(process.execPath, [compiler, '--project', project, '--singleThreaded'], {
    stdio: 'inherit',
  });
}

/** @throws Error for an import that is not the library's own */
async function collectReachable(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const waiting = [ENTRY];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = await readFile(join(folder, path), 'utf8');
    for (const [specifier] of text.matchAll(IMPORT)) {
      if (!specifier.startsWith('.'))
        throw new Error(`${path} is not self-contained: it imports ${specifier}`);
      waiting.push(normalize(join(dirname(path), specifier.replace(/\.ts$/, '.d.ts'))));
    }
    found.set(
      path,
      text.replace(IMPORT, (specifier) => specifier.replace(/\.ts$/, '.js')),
    );
  }
  return found;
}
