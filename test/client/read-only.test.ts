import { expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { Client } from '../../src/client/client.ts';
import { createReadOnlyClient } from '../../src/client/read-only.ts';

it('passes reads on, and no write of the catalog', async () => {
  const passed: string[] = [];
  const pass = async ({ path }: { readonly path: string }) => {
    passed.push(path);
    return { sent: false } as const;
  };
  const inner: Client = {
    call: pass,
    send: pass,
    sendText: pass,
    ensureWritesAllowed: async () => void passed.push('*'),
  };
  const client = createReadOnlyClient(inner);
  for (const { name, resource, path, effect } of manifest) {
    const operation = await loadOperation(resource, name);
    for (const call of [
      client.call(operation, {}),
      client.send(operation, {}),
      client.sendText(operation, '{}'),
    ]) {
      const refused = await call.then(
        () => false,
        () => true,
      );
      expect([name, refused]).toEqual([name, effect !== 'read']);
    }
    expect(passed.splice(0)).toEqual(effect === 'read' ? [path, path, path] : []);
  }
  await expect(client.ensureWritesAllowed()).rejects.toThrow('asked for permission to write');
});
