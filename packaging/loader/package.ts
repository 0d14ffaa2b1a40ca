import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { type Compile, createCodeCache, createLoader } from './loader.ts';

/** The module with `main`. Its name contains a hash, so the build defines it. */
declare const MAIN: string;

let compileModule: Compile = (source, filename) => new Script(source, { filename });

/** Loads a module of the bundle, which is in the folder of this file. */
export const load = createLoader({
  compile: (name) => {
    const file = `${__dirname}/${name}`;
    return compileModule(readFileSync(file, 'utf8'), file);
  },
  urlOf: (name) => pathToFileURL(join(__dirname, name)).href,
  loadOther: (name) => require(name),
});

export function main(version: string): void {
  (load(MAIN) as { main(version: string): void }).main(version);
}

/** Makes the modules that are loaded from now on keep their code in a folder. */
export function enableCodeCache(folder: string): void {
  compileModule = createCodeCache(`${folder}/${process.version}-${process.arch}`);
}

// Programs that svc starts in their own processes are modules of the bundle.
const [, , program] = process.argv;
if (require.main === module && program !== undefined) load(program);
