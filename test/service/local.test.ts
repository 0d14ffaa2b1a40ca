import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../src/service/store/location.ts';
import { createUserFolders } from '../temporary-folder.ts';

describe('the local service', () => {
  it('creates random credentials on first use, and keeps them', async () => {
    const [mine, theirs] = [await createUserFolders(), await createUserFolders()];
    const targetOf = async (folders: typeof mine, store?: string) => {
      const service = await openEmbedded(await resolveStoreLocation(store, folders), {
        clock: systemClock,
      });
      await service.close();
      return service.target;
    };
    const first = await targetOf(mine);
    expect(first.key.authToken.length).toBeGreaterThanOrEqual(32);
    expect(await targetOf(mine)).toEqual(first);
    expect(await targetOf(mine, join(mine.data, 'service.sqlite'))).toEqual(first);
    expect((await targetOf(theirs)).key.authToken).not.toBe(first.key.authToken);
  });

  it('accepts a Request or a URL, like fetch', async () => {
    const { fetch, target, close } = await openEmbedded(
      await resolveStoreLocation(undefined, await createUserFolders()),
      {
        clock: systemClock,
      },
    );
    const { workspaceId, workspaceAuthToken } = target.workspace;
    const init = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [`${target.headerPrefix}workspace-id`]: workspaceId,
        [`${target.headerPrefix}workspace-auth-token`]: workspaceAuthToken,
      },
      body: '{"data":{}}',
    };
    const url = `${target.baseUrl}/v2/workspace/get`;
    const responses = [
      await fetch(url, init),
      await fetch(new URL(url), init),
      await fetch(new Request(url, init)),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await close();
  });
});
