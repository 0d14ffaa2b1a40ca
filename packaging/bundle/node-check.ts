import { readFile } from 'node:fs/promises';

/**
 * Creates a module that fails on an unsupported Node.js, with the rule of bin/svc.js, in syntax
 * that old versions can parse.
 */
export async function createNodeCheck(): Promise<string> {
  const [rule] =
    /^function isSupported[\s\S]*?^}$/m.exec(await readFile('bin/svc.js', 'utf8')) ?? [];
  if (rule === undefined) throw new Error('bin/svc.js has no function isSupported');
  const range: string = JSON.parse(await readFile('package.json', 'utf8')).engines.node;
  const message = `'svc: Node.js ' + process.versions.node + ' is not supported; svc needs ${range}.'`;
  return `${rule}\nif (!isSupported('${range}', process.versions.node))\n  throw new Error(${message});\n`;
}
