import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createManifests } from '../../packaging/manifests.ts';
import { HOME } from '../acceptance/svc.ts';
import { fetchKubernetesSchemas, fetchTool } from './tools.ts';

const DEPLOY = join(HOME, 'examples', 'deploy');
const read = (file: string) => readFile(join(DEPLOY, file), 'utf8');

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A class of `kubernetes-models`, whose check throws for a value that its schema rejects. */
type Model = new (manifest: object) => { readonly validate: () => void };

async function readManifests(): Promise<readonly Manifest[]> {
  const texts = await Promise.all(
    ['import.yaml', 'serve.yaml'].map((f) => read(`kubernetes/${f}`)),
  );
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
}

it('the Compose file is valid by the schema of the Compose specification', async () => {
  const schema = JSON.parse(await readFile(await fetchTool('compose'), 'utf8'));
  // Ajv knows this draft only by its http address.
  delete schema.$schema;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const compose = parse(await read('compose.yaml'));
  validate(compose);
  expect(validate.errors).toBe(null);
  const { server } = compose.services;
  for (const fault of [{ comand: [] }, { read_only: 7 }, { tmpfs: { '/tmp': true } }])
    expect(validate({ ...compose, services: { server: { ...server, ...fault } } })).toBe(false);
});

it('the Kubernetes manifests are valid by the schemas of their kinds', async () => {
  const require = createRequire(import.meta.url);
  const models = await fetchKubernetesSchemas();
  const manifests = await readManifests();
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'PersistentVolumeClaim',
    'Job',
    'Deployment',
    'Service',
  ]);
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest;
    const Kind: Model = require(join(models, apiVersion, kind))[kind];
    new Kind(manifest).validate();
    expect(() => new Kind({ ...manifest, spec: 'none' }).validate()).toThrow('spec');
  }
});

it('the Kubernetes manifests have no fields that their kinds lack', {
  timeout: 120_000,
}, async () => {
  const models = await fetchKubernetesSchemas();
  const folder = join(models, '..', '..');
  const lines = (await readManifests()).flatMap((manifest, at) => {
    const { apiVersion, kind } = manifest;
    const assign = (name: string, value: object) =>
      `export const ${name}: I${kind} = ${JSON.stringify(value)};`;
    const fault = { ...manifest, metadata: { nam: 'svc' } };
    return [
      `import type { I${kind} } from 'kubernetes-models/${apiVersion}/${kind}';`,
      assign(`valid${at}`, manifest),
      '// @ts-expect-error',
      assign(`invalid${at}`, fault),
    ];
  });
  await writeFile(join(folder, 'manifests.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const tsc = join(HOME, 'node_modules', '.bin', 'tsc');
  const line = [...options, 'manifests.ts'];
  const checked = await promisify(execFile)(tsc, line, { cwd: folder }).catch((error) => error);
  expect(checked.stdout).toBe('');
});

/** A folder with the schema of Scoop and those of winget, by their published names. */
const SCHEMAS = process.env['SVC_TEST_SCHEMAS'];

it.skipIf(SCHEMAS === undefined)(
  'the manifests for package managers are valid by the schemas in SVC_TEST_SCHEMAS',
  async () => {
    const { version, description, engines } = JSON.parse(
      await readFile(join(HOME, 'package.json'), 'utf8'),
    );
    const names = [`collab-svc-svc-${version}.tgz`, `svc-${version}-win-x64.zip`];
    const checksums = new Map(names.map((name) => [name, '0123456789abcdef'.repeat(4)]));
    const release = { version, repository: 'owner/name', checksums, description };
    const files = createManifests({ ...release, node: engines.node });
    const validated = [];
    for (const [path, text] of files) {
      if (path.startsWith('homebrew/')) continue;
      const manifest = parse(text);
      const { ManifestType, ManifestVersion } = manifest;
      const name =
        ManifestType === undefined
          ? 'schema.json'
          : `manifest.${ManifestType}.${ManifestVersion}.json`;
      const schema = JSON.parse(await readFile(join(SCHEMAS ?? '', name), 'utf8'));
      const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
      validate(manifest);
      expect({ path, errors: validate.errors }).toEqual({ path, errors: null });
      expect(
        validate({ ...manifest, license: 7, License: 7, Commands: 7, PackageVersion: 7 }),
      ).toBe(false);
      validated.push(name.replace(/\.\d.*/, ''));
    }
    expect(validated.sort()).toEqual([
      'manifest.defaultLocale',
      'manifest.installer',
      'manifest.version',
      'schema.json',
    ]);
  },
);
