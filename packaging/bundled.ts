import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package with code in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression from package.json. */
  readonly license: string;
  /** Folder relative to the checkout. */
  readonly folder: string;
}

/** The sources of each file of the bundle. */
export interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }
    >
  >;
}

/** Finds the packages with code in the bundle, sorted by folder. */
export function findBundledPackages({ outputs }: Metafile): readonly BundledPackage[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
    return folder && bytesInOutput > 0 ? [folder] : [];
  });
  const packages = [...new Set(folders)].map((folder): BundledPackage => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return { name, version, license, folder };
  });
  return packages.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}
