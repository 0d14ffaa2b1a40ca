import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Fails the test run on an unsupported Node.js, because some versions hide failures. */
export default async function assertSupportedNode(): Promise<void> {
  const manifest = JSON.parse(
    await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
  );
  const range: string = manifest.engines.node;
  const version = process.versions.node;
  if (!satisfies(version, range)) {
    throw new Error(
      `Node.js ${version} is not supported; the tests need ${range}. Run npm ci, then npm test.`,
    );
  }
}

/** Whether a version matches a range such as `^22.22.2 || >=26.0.0`. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator, ...minimum] = /^\s*(\^|>=)(\d+)\.(\d+)\.(\d+)\s*$/.exec(part) ?? [];
    if (!operator) throw new Error(`cannot read the range '${part}' in engines.node`);
    const actual = version.split('.').map(Number);
    const difference = minimum.map((number, index) => (actual[index] ?? 0) - Number(number));
    if (operator === '^' && difference[0] !== 0) return false;
    return (difference.find((step) => step !== 0) ?? 0) >= 0;
  });
}
