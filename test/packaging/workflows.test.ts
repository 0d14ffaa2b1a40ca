import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { HOME } from '../acceptance/svc.ts';
import { fetchTool } from './tools.ts';

interface Job {
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FILES = globSync('.github/workflows/*.yml', { cwd: HOME }).sort();
const read = (file: string) => readFile(join(HOME, file), 'utf8');
const load = async (name: string): Promise<Workflow> =>
  parse(await read(`.github/workflows/${name}.yml`));

describe('the workflows', () => {
  it('have no faults that actionlint finds', async () => {
    const { runLint } = createRequire(import.meta.url)(await fetchTool('actionlint'));
    expect(
      await runLint('on: push\njobs: {a: {runs-on: nowhere, steps: []}}', 'a.yml'),
    ).not.toEqual([]);
    for (const file of FILES)
      expect({ file, faults: await runLint(await read(file), file) }).toEqual({ file, faults: [] });
  });

  it('have read access unless a job says more, and pin actions by commit', async () => {
    expect(FILES).toEqual(['.github/workflows/ci.yml', '.github/workflows/release.yml']);
    for (const file of FILES) {
      const { permissions, jobs }: Workflow = parse(await read(file));
      expect(permissions).toEqual({ contents: 'read' });
      const actions = Object.values(jobs).flatMap(({ steps }) =>
        steps.flatMap(({ uses = [] }) => uses),
      );
      expect(actions.filter((action) => !/^actions\/[\w-]+@[\da-f]{40}$/.test(action))).toEqual([]);
    }
  });

  it('run all checks with every supported major version of Node.js', async () => {
    const { jobs } = await load('ci');
    const { engines } = JSON.parse(await read('package.json'));
    const majors = Array.from(engines.node.matchAll(/(\d+)\.\d+\.\d+/g), ([, major]) => major);
    expect(jobs['checks']).toMatchObject({
      strategy: { matrix: { node: majors } },
      steps: expect.arrayContaining([
        { name: 'Run all checks', run: '.ci/run', env: { SVC_CI_NODE: 'job' } },
      ]),
    });
  });

  it('publish only from a job that a person approves, after the dry run of everything else', async () => {
    const { on, jobs } = await load('release');
    expect(Object.keys(on)).toEqual(['pull_request', 'push']);
    const privileged = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(privileged.map(([name]) => name)).toEqual(['publish']);
    expect(jobs['publish']).toMatchObject({
      if: "github.event_name == 'push'",
      environment: 'release',
      needs: ['build', 'image'],
    });
    const publishing = /npm (?:stage )?publish(?!.*--dry-run)|docker push|gh release/;
    for (const [name, { steps }] of Object.entries(jobs)) {
      const publishes = steps.some(({ run = '' }) => publishing.test(run));
      expect({ name, publishes }).toEqual({ name, publishes: name === 'publish' });
    }
  });

  it('run only scripts and files that exist', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const texts = (await Promise.all(FILES.map(read))).join('\n');
    const named = Array.from(texts.matchAll(/npm run ([\w:]+)/g), ([, script = '']) => script);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    const programs = Array.from(
      texts.matchAll(/node (packaging\/[\w./]+)/g),
      ([, path = '']) => path,
    );
    expect(programs.length).toBeGreaterThan(2);
    expect(globSync(programs, { cwd: HOME }).length).toBe(new Set(programs).size);
  });
});
