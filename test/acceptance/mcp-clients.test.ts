import { type ChildProcess, spawnSync } from 'node:child_process';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { expect, it, onTestFinished } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { BIN, newUser } from './svc.ts';

/** Connects a client that shares no code with the protocol's SDK to the built tool. */
async function connect(...words: readonly string[]) {
  const { env } = await newUser();
  const args = [BIN, 'mcp', '--local', ...words];
  const transport = new StdioTransport({ command: process.execPath, args, env, stderr: 'ignore' });
  const client = await createMCPClient({ transport });
  const { process: child } = transport as object as { readonly process: ChildProcess };
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    await client.close();
    await ended;
  });
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as {
      readonly content: readonly { readonly text: string }[];
      readonly isError?: boolean;
    };
    return { text: content[0]?.text ?? '', failed: isError === true };
  };
  return { client, call };
}

it('serves a client that shares no code with the SDK', async () => {
  const { client, call } = await connect('--allow-writes');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['describe', 'read', 'write']);
  const organization = { organizationId: 'acme' };
  const request = {
    operation: 'folders.add',
    input: {
      ...organization,
      createOrganization: true,
      folders: [{ folderId: 'f1', folderName: 'Plans' }],
    },
  };
  const preview = await call('write', request);
  expect(preview.failed, preview.text).toBe(false);
  const { token } = JSON.parse(preview.text);
  expect(await call('write', { ...request, token })).toMatchObject({ failed: false });
  expect(await call('write', { ...request, token })).toMatchObject({ failed: true });
  const list = { operation: 'folders.list', input: organization };
  expect(JSON.parse((await call('read', list)).text)).toMatchObject([{ folderName: 'Plans' }]);
});

const hasJsonSchema = spawnSync('/usr/bin/python3', ['-c', 'import jsonschema']).status === 0;

const CHECK = `
import json, sys
from jsonschema import Draft202012Validator as V
for name, schema, value in json.load(sys.stdin):
    V.check_schema(schema)
    for error in V(schema).iter_errors(value):
        print(name, error.message)
`;

it.skipIf(!hasJsonSchema)(
  'describes inputs with schemas that the jsonschema library of Python accepts',
  async () => {
    const calls: Readonly<Record<string, object>> = await createValidCalls(
      await startTestService(),
    );
    const { client, call } = await connect('--allow-writes');
    const checks: unknown[] = [];
    const read = { operation: 'folders.list', input: {} };
    for (const { name, inputSchema } of (await client.listTools()).tools)
      checks.push([name, inputSchema, name === 'describe' ? {} : read]);
    for (const { name } of manifest) {
      const { text, failed } = await call('describe', { operation: name });
      if (!failed) checks.push([name, JSON.parse(text).input, calls[name]]);
    }
    expect(checks.length).toBeGreaterThan(40);
    const { stdout, stderr, status } = spawnSync('/usr/bin/python3', ['-c', CHECK], {
      input: JSON.stringify(checks),
      encoding: 'utf8',
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
  },
);
