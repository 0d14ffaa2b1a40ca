import { readFile } from 'node:fs/promises';
import './bundled-typescript.ts';

/** Prints the TypeScript that openapi-typescript generates from the OpenAPI document at a path. */
const { default: generate, astToString } = await import('openapi-typescript');
const [path = ''] = process.argv.slice(2);
process.stdout.write(astToString(await generate(await readFile(path, 'utf8'))));
