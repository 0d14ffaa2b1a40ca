import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';
import { findSharedSecrets, findUnpublishedInstalls } from './installs.ts';

/**
 * Names that are safe to install: the dependencies of this project, and its own program, which
 * `npx` finds in the checkout. Until svc is published, anyone can take its name.
 */
const { devDependencies, optionalDependencies, bin } = JSON.parse(
  await readFile(join(HOME, 'package.json'), 'utf8'),
);
const PUBLISHED = new Set([
  ...Object.keys({ ...devDependencies, ...optionalDependencies, ...bin }),
  // The program of @changesets/cli, and the package manager itself.
  'changeset',
  'npm',
]);

const FILES = globSync(
  [
    '*.{md,yml,yaml,sh}',
    'Dockerfile',
    '.changeset/*.md',
    '.github/**/*.*',
    'docs/**/*.{md,1}',
    'examples/**/*.*',
    'packaging/**/*.{md,yml,yaml}',
    'src/**/*.ts',
  ],
  { cwd: HOME },
).sort();

const read = (file: string) => readFile(join(HOME, file), 'utf8');

const yamlBlocks = (page: string) =>
  Array.from(page.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm), ([, block = '']) => block);

describe('installs of unpublished names', () => {
  it.each([
    ['npm install --global @collab-svc/svc', '@collab-svc/svc'],
    ['npm i -g --prefix x @collab-svc/svc@0.1.0', '@collab-svc/svc@0.1.0'],
    ['RUN npm install \\\n  --global @collab-svc/svc && svc --version', '@collab-svc/svc'],
    ['Run `npx @collab-svc/svc users list` first', '@collab-svc/svc'],
    ['npx --package=@collab-svc/svc svc', '@collab-svc/svc'],
    ['pnpm dlx svc-tool users', 'svc-tool'],
    ['bunx svc-tool', 'svc-tool'],
    ['brew install someone/tap/svc', 'someone/tap/svc'],
    ['winget install --id Someone.Svc', 'Someone.Svc'],
    ['scoop install svc-tool', 'svc-tool'],
    ['docker run --rm -v data:/data ghcr.io/someone/svc --help', 'ghcr.io/someone/svc'],
    ['uses: someone/svc@v1', 'uses: someone/svc@'],
    [
      'curl -fsSL https://example.com/install.sh | sh',
      'curl -fsSL https://example.com/install.sh | sh',
    ],
  ])('are found in %s', (text, found) => {
    expect(findUnpublishedInstalls(text, PUBLISHED)).toEqual([found]);
  });

  it('do not include paths, tarballs, dependencies, and local images', () => {
    const text = `
      npm install --global ./dist
      npm install --ignore-scripts ./svc-0.1.0.tgz && svc --version
      npx svc users add, npx vitest run, npm ci, npx changeset version
      docker run --rm -v svc-data:/data -p 8080:8080 svc serve
      uses: actions/checkout@v4
      uses: ./svc`;
    expect(findUnpublishedInstalls(text, PUBLISHED)).toEqual([]);
  });

  it('include no action that its owner can move to another commit', async () => {
    const pages = ['docs/ci.md', 'docs/install.md'];
    const texts = await Promise.all(pages.map(read));
    const used = texts.flatMap((text) =>
      Array.from(text.matchAll(/uses: (\S+)/g), ([, name]) => name),
    );
    const isPinned = (name = '') => name.startsWith('./') || /^[\w/-]+@[0-9a-f]{40}$/.test(name);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !isPinned(name))).toEqual([]);
  });

  it('are in no page, recipe, or message', SLOW, async () => {
    expect(FILES).toEqual(expect.arrayContaining(['README.md', 'action.yml', 'docs/ci.md']));
    const found = await Promise.all(
      FILES.map(async (file) =>
        findUnpublishedInstalls(await read(file), PUBLISHED).map((name) => `${file}: ${name}`),
      ),
    );
    expect(found.flat()).toEqual([]);
  });
});

describe('secrets that every step can read', () => {
  it('are found in workflows and jobs', () => {
    const workflow = `
      env: { A: "\${{ secrets.A }}", URL: "\${{ vars.URL }}" }
      jobs:
        one:
          env: { B: "x-\${{ secrets.B }}", T: "\${{ github.token }}" }
          steps: [{ run: x, env: { C: "\${{ secrets.C }}" } }]`;
    expect(findSharedSecrets(workflow)).toEqual([
      'A of the workflow',
      'B of job one',
      'T of job one',
    ]);
  });

  it('are in no recipe and no workflow', async () => {
    const pages = FILES.filter((file) => file.endsWith('.md'));
    const recipes = (await Promise.all(pages.map(read))).flatMap(yamlBlocks);
    const workflows = FILES.filter((file) => file.startsWith('.github/workflows/'));
    expect(recipes.filter((recipe) => recipe.includes('secrets.')).length).toBeGreaterThan(2);
    const texts = [...recipes, ...(await Promise.all(workflows.map(read)))];
    expect(texts.flatMap(findSharedSecrets)).toEqual([]);
  });
});
