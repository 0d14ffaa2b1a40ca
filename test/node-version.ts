import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Stops a run of the tests on a Node.js that this project does not support: some versions hide failures there. */
export default async function assertSupportedNode(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
  const range: string = manifest.engines.node;
  const version = process.versions.node;
  if (!satisfies(version, range)) {
    throw new Error(`Node.js ${version} is not supported, it takes ${range}. npm ci brings one: run npm test.`);
  }
}

/** Whether a version is in a range of parts such as `^22.22.2` or `>=26.0.0`, separated by `||`. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator, ...least] = /^\s*(\^|>=)(\d+)\.(\d+)\.(\d+)\s*$/.exec(part) ?? [];
    if (!operator) throw new Error(`cannot read the range '${part}' in engines.node`);
    const here = version.split('.').map(Number);
    const difference = least.map((number, place) => (here[place] ?? 0) - Number(number));
    if (operator === '^' && difference[0] !== 0) return false;
    return (difference.find((step) => step !== 0) ?? 0) >= 0;
  });
}
