import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package whose code is part of the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json says it, an SPDX expression. */
  readonly license: string;
  /** Its folder below the checkout. */
  readonly folder: string;
}

/** The part of esbuild's account of a build that is read here. */
export interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

/** The packages that code in the bundle comes from, by name. */
export function bundledPackages({ outputs }: Metafile): readonly BundledPackage[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
    return folder && bytesInOutput > 0 ? [folder] : [];
  });
  const packages = [...new Set(folders)].map((folder): BundledPackage => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name, version, license, folder };
  });
  return packages.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}
