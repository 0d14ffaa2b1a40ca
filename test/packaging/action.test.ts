import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { HOME } from '../acceptance/svc.ts';
import { startTokenService } from '../acceptance/token-service.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { packPackage } from './packed.ts';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

type Inputs = Readonly<Record<string, string>>;

const action = parse(await readFile(join(HOME, 'action.yml'), 'utf8'));
const steps: readonly Step[] = action.runs.steps;

let tarball: string;

beforeAll(async () => {
  ({ tarball } = await packPackage());
}, 120_000);

/**
 * Runs the action's steps like a runner, with its shell, its files, and its inputs as environment
 * variables.
 */
async function runAction(given: Inputs) {
  const home = await createTemporaryFolder();
  const files = { GITHUB_PATH: join(home, 'path'), GITHUB_OUTPUT: join(home, 'output') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const defaults = Object.entries<{ default?: string }>(action.inputs).map(([name, input]) => [
    name,
    input.default ?? '',
  ]);
  const inputs: Inputs = { ...Object.fromEntries(defaults), ...given };
  const runner = {
    HOME: home,
    RUNNER_TEMP: home,
    RUNNER_OS: 'Linux',
    CI: 'true',
    npm_config_offline: 'true',
    ...files,
  };
  let log = '';
  for (const step of steps) {
    if (step.if !== undefined && inputs[/^inputs\.([\w-]+) != ''$/.exec(step.if)?.[1] ?? ''] === '')
      continue;
    const added = (await readFile(files.GITHUB_PATH, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .toReversed();
    const own = Object.entries(step.env).map(([name, value]) => [name, filled(value, inputs)]);
    const env = {
      ...runner,
      ...Object.fromEntries(own),
      PATH: [...added, process.env['PATH']].join(':'),
    };
    const { code, output } = await bash(step.run, home, env);
    log += output;
    if (code !== 0) return { code, log, output: '' };
  }
  return { code: 0, log, output: await readFile(files.GITHUB_OUTPUT, 'utf8') };
}

/** Replaces the expression in a value; only inputs are allowed. */
function filled(value: string, inputs: Inputs): string {
  return value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? '');
}

function bash(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

describe('the action', () => {
  it('installs svc, resets the token, and masks it before any output', async () => {
    const service = await startTokenService();
    const {
      SVC_BASE_URL,
      SVC_API_KEY,
      SVC_AUTH_TOKEN,
      SVC_WORKSPACE_ID,
      SVC_WORKSPACE_AUTH_TOKEN,
    } = service.env;
    const { code, log, output } = await runAction({
      package: tarball,
      'base-url': SVC_BASE_URL,
      'api-key': SVC_API_KEY,
      'auth-token': SVC_AUTH_TOKEN,
      'workspace-id': SVC_WORKSPACE_ID,
      'workspace-auth-token': SVC_WORKSPACE_AUTH_TOKEN,
    });
    expect(code, log).toBe(0);
    expect(service.resets()).toBe(1);
    expect(output).toBe(`token=${service.current()}\n`);
    for (const secret of [service.current(), SVC_AUTH_TOKEN, SVC_WORKSPACE_AUTH_TOKEN]) {
      expect(log.indexOf(secret) - '::add-mask::'.length).toBe(
        log.indexOf(`::add-mask::${secret}\n`),
      );
    }
  });

  it('fails without an output if the reset fails', async () => {
    const service = await startTokenService();
    const given = { package: tarball, 'base-url': service.env.SVC_BASE_URL, 'api-key': 'key-1' };
    const { code, log } = await runAction(given);
    expect({ code, resets: service.resets() }).toEqual({ code: 4, resets: 0 });
    expect(log).toContain('SVC_WORKSPACE_AUTH_TOKEN');
  });

  it('only installs svc without an API key', async () => {
    expect(await runAction({ package: tarball })).toMatchObject({ code: 0, output: '' });
  });

  it.each(['someone/svc', 'svc', './', 'https://example.com/svc.tgz', '--global'])(
    'installs only an existing file, not %s',
    async (name) => {
      const { code, log } = await runAction({ package: name });
      expect(code).toBe(1);
      expect(log).toContain('::error::package must be the path of an existing file');
    },
  );

  it('passes npm only paths of existing files, and starts no git', async () => {
    const home = await createTemporaryFolder();
    const [folder, bin] = [join(home, 'workspace'), join(home, 'bin')];
    await mkdir(join(folder, 'a'), { recursive: true });
    await mkdir(bin);
    for (const tool of ['git', 'npm'])
      await writeFile(
        join(bin, tool),
        `#!/usr/bin/env bash\nprintf '${tool} %s\\n' "\${@:$#}" >> "$HOME/calls"\n`,
        { mode: 0o755 },
      );
    for (const name of ['../x.tgz', 'a/b', 'x y.tgz', 'x:y', '-g'])
      await writeFile(join(folder, name), 'x');
    await symlink(join(home, 'x.tgz'), join(folder, 'link.tgz'));
    await symlink(join(home, 'gone.tgz'), join(folder, 'dangling.tgz'));
    const calls = join(home, 'calls');
    const install = async (name: string) => {
      await writeFile(calls, '');
      const env = {
        HOME: home,
        PATH: `${bin}:${process.env['PATH']}`,
        RUNNER_TEMP: home,
        RUNNER_OS: 'Linux',
        GITHUB_PATH: join(home, 'path'),
        PACKAGE: name,
      };
      const { code } = await bash(steps[0]?.run ?? '', folder, env);
      return [code, await readFile(calls, 'utf8')];
    };
    for (const name of ['a/b', '../x.tgz', './x y.tgz', 'x y.tgz', 'x:y', '-g', 'link.tgz'])
      expect(await install(name)).toEqual([0, `npm ./${name}\n`]);
    const absolute = join(folder, 'a/b');
    expect(await install(absolute)).toEqual([0, `npm ${absolute}\n`]);
    const refused = ['a', '@a/b', 'a/c', 'git+https://example.com/x.git', 'file:..', 'file:a/b'];
    for (const name of [
      ...refused,
      'github:a/b',
      'dangling.tgz',
      '../y.tgz',
      'a/b ',
      '',
      ' ',
      '~/x',
    ])
      expect([name, ...(await install(name))]).toEqual([name, 1, '']);
  });

  it('installs nothing by name, and expands no input in a script', () => {
    // Nobody owns the package's name before the first release.
    expect(action.inputs.package).toMatchObject({ required: true });
    expect(action.inputs.package).not.toHaveProperty('default');
    expect(steps.map(({ run }) => run).join('\n')).not.toContain('${{');
    expect(action.outputs.token.value).toContain(`steps.${steps.at(-1)?.id}.outputs.token`);
  });
});
