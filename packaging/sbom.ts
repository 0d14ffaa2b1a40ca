import { execFileSync } from 'node:child_process';
import type { BundledPackage } from './bundled.ts';

interface Bom {
  serialNumber?: string;
  readonly metadata: { timestamp?: string; component: Record<string, unknown> };
  components: readonly {
    readonly name: string;
    readonly version: string;
    readonly 'bom-ref': string;
    readonly [field: string]: unknown;
  }[];
  dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * Creates the software bill of materials in CycloneDX format: the packages in the bundle and those
 * installed with it. It has no timestamp or serial number, so that the same source always produces
 * the same file.
 */
export function createBom(
  name: string,
  bundled: readonly BundledPackage[],
  installed: readonly string[],
): string {
  const bom: Bom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { encoding: 'utf8' }),
  );
  delete bom.serialNumber;
  delete bom.metadata.timestamp;
  const root = String(bom.metadata.component['bom-ref']);
  bom.metadata.component = { ...bom.metadata.component, name, properties: [] };
  const isPart = (component: Bom['components'][number]) =>
    installed.includes(component.name) ||
    bundled.some((part) => part.name === component.name && part.version === component.version);
  // The package URL leads to the author, the description, and the addresses. The hashes are those of
  // archives, of which the bundle contains parts.
  bom.components = bom.components
    .filter(isPart)
    .map(
      ({ author, description, externalReferences, hashes, properties, ...component }) => component,
    );
  const refs = new Set([root, ...bom.components.map((component) => component['bom-ref'])]);
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((dependency) => refs.has(dependency)),
    }));
  return `${JSON.stringify(bom)}\n`;
}
