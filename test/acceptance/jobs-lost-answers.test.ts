import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

interface Document {
  readonly documentId: string;
  readonly documentName: string;
}

/**
 * Creates a service that applies each request for documents and closes the connection without a
 * response the first time.
 */
async function startForgetfulService(there: ReadonlyMap<string, string>) {
  const kept = new Map(there);
  const lost = new Set<string>();
  const { env } = await startMockService(({ path, body: { data } }, response) => {
    if (path.endsWith('/documents/get')) {
      const ids = data['documentIds'] as readonly string[];
      return success(
        ids.flatMap((id) => (kept.has(id) ? [{ id, documentName: kept.get(id) }] : [])),
      );
    }
    const documents = data['documents'] as readonly Document[];
    const items = documents.map(({ documentId, documentName }) => {
      if (kept.has(documentId))
        return [documentId, { success: false, message: 'exists', code: 'already-exists' }];
      kept.set(documentId, documentName);
      return [documentId, { success: true, message: 'Added Successfully' }];
    });
    const request = documents[0]?.documentId ?? '';
    if (lost.has(request)) return success(Object.fromEntries(items));
    lost.add(request);
    response.destroy();
    return undefined;
  });
  return { env, kept };
}

it(
  'a document whose response was lost counts as succeeded only if the stored one matches',
  SLOW,
  async () => {
    const user = await newUser();
    const documents = Array.from({ length: 250 }, (_, at) => ({
      documentId: `d${at}`,
      documentName: `Plan ${at}`,
    }));
    const file = join(user.home, 'documents.json');
    await writeFile(file, JSON.stringify(documents));
    const { env, kept } = await startForgetfulService(new Map([['d7', 'of somebody else']]));
    const words = [
      'documents',
      'add',
      '--org',
      'acme',
      '--file',
      file,
      '--concurrency',
      '4',
      '-o',
      'json',
    ];
    const { code, stdout } = await user.svc(words, { env });
    expect(JSON.parse(stdout)).toMatchObject({
      total: 250,
      succeeded: 249,
      failed: 1,
      unknown: 0,
      failures: [{ id: 'd7', line: 1, message: 'exists', code: 'already-exists' }],
    });
    expect([code, kept.size, kept.get('d7')]).toEqual([10, 250, 'of somebody else']);
  },
);
