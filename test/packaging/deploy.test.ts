import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { FAILURES } from '../../src/kernel/errors.ts';
import { hasHaproxy } from '../acceptance/gateways.ts';
import { startServing } from '../acceptance/serving.ts';
import { BIN, HOME, newUser } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const DEPLOY = join(HOME, 'examples', 'deploy');
const compose = parse(await readFile(join(DEPLOY, 'compose.yaml'), 'utf8'));
const [, job] = parseAllDocuments(
  await readFile(join(DEPLOY, 'kubernetes', 'import.yaml'), 'utf8'),
).map((document) => document.toJS());
const [deployment, service] = parseAllDocuments(
  await readFile(join(DEPLOY, 'kubernetes', 'serve.yaml'), 'utf8'),
).map((document) => document.toJS());

/** Exit codes after which Kubernetes starts another pod. */
const RETRIED: readonly unknown[] = [7, 8, 11, 13];

/** Runs a script of a container with `svc` on the path, and with its volumes in a folder. */
async function runContainer(folder: string, script: string, env: Readonly<Record<string, string>>) {
  const here = script.replaceAll(/(?<=[ "])\/(?=state|input)/g, `${folder}/`);
  const words = ['-eu', '-c', here];
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const child = spawn('sh', words, { cwd: folder, env: { ...env, PATH: path, HOME: folder } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('the import job of Kubernetes', () => {
  const [container] = job.spec.template.spec.containers;

  it('imports every record once, and resumes a shard whose pod was lost', {
    timeout: 300_000,
  }, async () => {
    const { home } = await newUser();
    await mkdir(join(home, 'bin'));
    await mkdir(join(home, 'input'));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
    await writeFile(join(home, 'bin', 'svc'), program, { mode: 0o755 });
    await copyFile(join(HOME, 'examples', 'users.ndjson'), join(home, 'input', 'users.ndjson'));
    const operator = await newUser();
    const first = await startServing(operator);
    const [script] = container.args;
    const run = (index: number) =>
      runContainer(home, script, {
        ...first.env,
        CI: 'true',
        SVC_ORG: container.env[0].value,
        JOB_COMPLETION_INDEX: String(index),
      });
    // The service stops, so the first attempt of one index ends early, and leaves its job.
    process.kill(first.pid, 'SIGKILL');
    expect(await run(1)).toMatchObject({
      code: expect.toSatisfy((code) => RETRIED.includes(code)),
    });
    const server = await startServing(operator, '--port', new URL(first.env.SVC_BASE_URL).port);
    for (let index = 0; index < job.spec.completions; index += 1) {
      const { code, output } = await run(index);
      expect(code, output).toBe(0);
    }
    await server.end('SIGTERM');
    const listed = await operator.svc(['local', 'list', 'users', '-o', 'json']);
    expect(JSON.parse(listed.stdout).length).toBe(10);
  });

  it('has one shard per index, and fails an index at once only where a retry cannot help', () => {
    const { completions, podFailurePolicy, backoffLimitPerIndex } = job.spec;
    expect(container.args[0]).toContain(`/${completions}"`);
    expect(backoffLimitPerIndex).toBeGreaterThan(0);
    const [ignored, failed] = podFailurePolicy.rules;
    expect(ignored).toEqual({
      action: 'Ignore',
      onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
    });
    const retryable: readonly number[] = Object.values(FAILURES)
      .filter((failure) => failure.retryable)
      .map(({ exitCode }) => exitCode);
    const values: readonly number[] = failed.onExitCodes.values;
    expect(values.filter((code) => retryable.includes(code))).toEqual([]);
  });
});

describe('the containers of the examples', () => {
  const [server] = deployment.spec.template.spec.containers;

  it('run without root, on a read-only file system, with probes of an existing route', () => {
    for (const { securityContext } of [server, ...job.spec.template.spec.containers])
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
    for (const { securityContext } of [deployment.spec.template.spec, job.spec.template.spec])
      expect(securityContext.runAsNonRoot).toBe(true);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(server[probe].httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
    expect(compose.services.server).toMatchObject({ read_only: true, deploy: { replicas: 3 } });
  });

  it.each([
    ['compose', compose.services.server.command],
    ['Kubernetes', server.args],
  ])('start the service with the command of %s', async (_, words: readonly string[]) => {
    const { home, env } = await newUser();
    // The tests of the store use PostgreSQL; here the command runs with a file.
    const line = words.map((word) =>
      word.replace(/^postgres:.*/, join(home, 'store.sqlite')).replace(/^8080$/, '0'),
    );
    expect(words).toContain('postgres://svc@database/svc');
    const child = spawn(process.execPath, [BIN, ...line, '-o', 'json'], { cwd: home, env });
    const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
    const { url } = JSON.parse(text);
    const healthy = await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/healthz`);
    expect(healthy.status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.skipIf(!hasHaproxy)('have a balancer whose configuration HAProxy accepts', async () => {
    const check = async (text: string) => {
      const file = join(await createTemporaryFolder(), 'haproxy.cfg');
      await writeFile(file, text);
      return spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    };
    const { content } = compose.configs.balancer;
    const accepted = await check(content);
    expect({ status: accepted.status, stderr: accepted.stderr }).toEqual({ status: 0, stderr: '' });
    expect((await check(content.replace('roundrobin', 'unknown'))).status).toBe(1);
  });

  it('never have a password in a command or in the file', () => {
    const { database, server: one } = compose.services;
    const password = '${POSTGRES_PASSWORD:?set a password}';
    expect(database.environment.POSTGRES_PASSWORD).toBe(password);
    expect(one.environment.PGPASSWORD).toBe(password);
    expect(server.env[0].valueFrom.secretKeyRef).toEqual({ name: 'svc-database', key: 'password' });
  });
});
