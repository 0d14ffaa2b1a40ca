import { describe, expect, it } from 'vitest';
import { createDevelopmentState } from '../../../src/service/local/state.ts';
import { resetState } from '../../../src/service/state/reset.ts';
import { exportState } from '../../../src/service/state/transfer.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { startTestService } from '../test-service.ts';

describe('createDevelopmentState', () => {
  it('sees the changes of another connection, and its own', async () => {
    const { path, store } = await startTestService();
    const other = await openStore(path);
    const [own, peer] = [createDevelopmentState(store), createDevelopmentState(other)];
    expect([await own.current(), await peer.current()]).toEqual([{}, {}]);
    expect(await peer.change('clock', () => ({ offset: 1 }))).toEqual({ clock: { offset: 1 } });
    expect(await own.current()).toEqual({ clock: { offset: 1 } });
    await own.change('faults', () => ['a rule']);
    await own.change('clock', (value) => ({ before: value }));
    const both = { clock: { before: { offset: 1 } }, faults: ['a rule'] };
    expect([await own.current(), await peer.current()]).toEqual([both, both]);
    await peer.change('clock', () => undefined);
    expect(await own.current()).toEqual({ faults: ['a rule'] });
    await other.close();
  });

  it('reads nothing as long as nobody changes the store', async () => {
    const { store, path } = await startTestService();
    let reads = 0;
    const read: typeof store.read = (work) => {
      reads++;
      return store.read(work);
    };
    const state = createDevelopmentState({ ...store, read });
    for (let call = 0; call < 3; call++) await state.current();
    if (store.version) expect(reads).toBe(1);
    const other = await openStore(path);
    await createDevelopmentState(other).change('clock', () => ({ offset: 1 }));
    await other.close();
    expect((await state.current()).clock).toEqual({ offset: 1 });
  });

  it('keeps the old value if the change fails', async () => {
    const state = createDevelopmentState((await startTestService()).store);
    await state.change('clock', () => ({ offset: 1 }));
    await expect(state.change('clock', () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    );
    expect(await state.current()).toEqual({ clock: { offset: 1 } });
  });

  it('is neither exported nor reset with the data', async () => {
    const { store, credentials } = await startTestService();
    const state = createDevelopmentState(store);
    const before = await exportState(store, credentials.apiKey);
    await state.change('clock', () => ({ offset: 1 }));
    expect(await exportState(store, credentials.apiKey)).toEqual(before);
    await resetState(store);
    expect(await state.current()).toEqual({ clock: { offset: 1 } });
  });
});
