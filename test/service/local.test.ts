import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { storeLocation } from '../../src/service/store/location.ts';
import { temporaryFolders } from '../temporary-folder.ts';

describe('the local service', () => {
  it('makes credentials at first use, random and not guessable, and keeps them', async () => {
    const [mine, theirs] = [await temporaryFolders(), await temporaryFolders()];
    const targetOf = async (folders: typeof mine, store?: string) => {
      const service = await openEmbedded(await storeLocation(store, folders), { clock: systemClock });
      await service.close();
      return service.target;
    };
    const first = await targetOf(mine);
    expect(first.key.authToken.length).toBeGreaterThanOrEqual(32);
    expect(await targetOf(mine)).toEqual(first);
    expect(await targetOf(mine, join(mine.data, 'service.sqlite'))).toEqual(first);
    expect((await targetOf(theirs)).key.authToken).not.toBe(first.key.authToken);
  });

  it('answers as fetch does, a Request or an address', async () => {
    const { fetch, target, close } = await openEmbedded(await storeLocation(undefined, await temporaryFolders()), {
      clock: systemClock,
    });
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
    const answers = [await fetch(url, init), await fetch(new URL(url), init), await fetch(new Request(url, init))];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await close();
  });
});
