import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { parseContract } from '../../src/contract/contract-file.ts';
import { gradeContract } from '../../src/contract/grade.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { DEVIATIONS, type Deviation } from '../contract/deviations.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';

/** Calls of every path that a deviation changes, with their exit codes without a deviation. */
const COMMANDS: readonly (readonly [line: string, code: number])[] = [
  ['webhooks config get', 0],
  ['folders list --org acme', 0],
  ['documents list --org acme', 0],
  ['webhooks endpoints list', 0],
  ['agents get unknown', 5],
  ['users add --org acme --user u1 --name Ada', 0],
  ['crdt update --org acme --document d1 --editor unknown --type text --content x --yes', 5],
];

const USUAL_CODES = COMMANDS.map(([, code]) => code);

const ORG = { organizationId: 'acme' };
const RECORDS = {
  '/v2/organizations/folders/add': {
    ...ORG,
    createOrganization: true,
    folders: [{ folderId: 'f1', folderName: 'Plans' }, { folderId: 'f2' }],
  },
  '/v1/organizations/documents/add': {
    ...ORG,
    documents: [{ documentId: 'd1' }, { documentId: 'd2' }, { documentId: 'd3' }],
  },
  '/v2/workspace/advancedwebhookconfig/update': { isEnabled: true },
  '/v2/workspace/advancedwebhook/endpoints/create': { url: 'https://example.com/hook' },
};

/** A user of `svc serve` behind a proxy on another port, which plants one deviation at a time. */
async function startWorld() {
  const user = await newUserInProcess();
  const service = await startServing(user, '--store', join(user.home, 'real.sqlite'));
  for (const [path, data] of Object.entries(RECORDS))
    expect(await service.call(path, data)).toMatchObject({ ok: true });
  let planted: Deviation | undefined;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { url = '' } = request;
    const reply = await fetch(service.env.SVC_BASE_URL + url, {
      method: 'POST',
      headers: service.headers,
      body,
    });
    const deviation = planted?.path === url ? planted : undefined;
    const text = await reply.text();
    const sent = deviation ? JSON.stringify(deviation.change(JSON.parse(text))) : text;
    const headers = { 'content-type': 'application/json', ...deviation?.headers };
    response.writeHead(deviation?.http ?? reply.status, headers).end(sent);
  });
  const url = `http://${await listen(server)}`;
  let recordings = 0;
  /** Runs all commands, and returns the contract that they recorded, and their exit codes. */
  const record = async (deviation?: Deviation) => {
    planted = deviation;
    recordings += 1;
    const file = `${recordings}.json`;
    const env = { ...service.env, SVC_BASE_URL: url, SVC_CONTRACT: join(user.home, file) };
    const codes: unknown[] = [];
    for (const [line] of COMMANDS)
      codes.push((await user.svc(line.split(' '), { env, stdin: '' })).code);
    const contract = parseContract(await readFile(join(user.home, file), 'utf8'), file);
    return { contract, codes };
  };
  return { record };
}

let embedded: Contract;
beforeAll(async () => {
  embedded = await playSamples({ clock: systemClock });
});

test('a proxy that changes nothing has no finding', async () => {
  const { record } = await startWorld();
  const { contract, codes } = await record();
  expect(codes).toEqual(USUAL_CODES);
  const { findings, listed, notCompared, verdicts } = gradeContract(contract, embedded);
  expect({ findings, listed, notCompared }).toEqual({ findings: [], listed: [], notCompared: [] });
  const agreeing = verdicts.filter(({ verdict }) => verdict.startsWith('agrees'));
  expect(agreeing).toHaveLength(COMMANDS.length);
});

test('of 25 deviations behind a proxy, those that the rules name are found, and 0 others', {
  ...SLOW,
  timeout: 300_000,
}, async () => {
  expect(DEVIATIONS).toHaveLength(25);
  const { record } = await startWorld();
  const graded = [];
  for (const deviation of DEVIATIONS) {
    const { contract, codes } = await record(deviation);
    const { findings, listed } = gradeContract(contract, embedded);
    // A field that svc does not know is never an error.
    if (deviation.finding?.kind === 'field') expect(codes).toEqual(USUAL_CODES);
    for (const { decision, seen } of findings) {
      expect(decision).not.toBe('');
      expect(seen).toBeGreaterThan(0);
    }
    graded.push({
      name: deviation.name,
      findings: findings.map(({ kind, path }) => ({ kind, path })),
      listed: listed.map(({ path }) => path),
    });
  }
  expect(graded).toEqual(
    DEVIATIONS.map(({ name, finding, listed }) => ({
      name,
      findings: finding ? [finding] : [],
      listed: listed === undefined ? [] : [listed],
    })),
  );
  const named = DEVIATIONS.filter(({ finding }) => finding !== undefined);
  const found = graded.filter(({ findings }) => findings.length > 0);
  const others = found.filter(({ name }) => !named.some((each) => each.name === name));
  expect({ found: found.length, others: others.length }).toEqual({ found: 16, others: 0 });
});
