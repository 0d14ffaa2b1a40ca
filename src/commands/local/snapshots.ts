import type { Snapshot } from '../../catalog/local/answers.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import { formatBytes } from '../../output/quantities.ts';
import { openSnapshots } from '../../service/local/snapshots/snapshot-control.ts';
import { displayStoreLocation, resolveStoreLocation } from '../../service/store/location.ts';
import type { Context } from '../context.ts';
import { createLocalCommand } from './operation.ts';

export const saveSnapshot = createLocalCommand('local.snapshot.save', {
  run: async ({ context, run }) => {
    const [saved] = await run();
    await (await context.printer()).value(saved, {
      renderText: ({ width: columns }) =>
        formatMessage(`Saved snapshot ${saved.name}: ${describe(saved)}`, { columns }),
    });
  },
});

export const restoreSnapshot = createLocalCommand('local.snapshot.restore', {
  check: ({ context, inputs: [{ restore }] }) => requireSnapshot(context, restore),
  run: async ({ context, inputs: [{ restore }], run }) => {
    const store = displayStoreLocation(await locate(context));
    await context.confirm(`Replace all data in ${store} with snapshot ${restore}?`, 'this machine');
    const [restored] = await run();
    await (await context.printer()).value(restored, {
      renderText: ({ width: columns }) =>
        formatMessage(`Restored ${store} from snapshot ${restored.name}: ${describe(restored)}`, {
          columns,
        }),
    });
  },
});

export const listSnapshots = createLocalCommand('local.snapshot.list', {
  run: async ({ context, run }) => {
    const [{ snapshots }] = await run();
    const rows = snapshots.map(({ records, ...shown }) => ({ ...shown, ...records }));
    const { columns = [] } = getAdminEntry('local.snapshot.list');
    await (await context.printer()).value(snapshots, { table: { rows, columns } });
    if (snapshots.length === 0) await context.note('no snapshots found');
  },
});

export const removeSnapshot = createLocalCommand('local.snapshot.remove', {
  check: ({ context, inputs: [{ remove }] }) => requireSnapshot(context, remove),
  run: async ({ context, inputs: [{ remove }], run }) => {
    await run();
    await context.note(`Removed snapshot ${remove}`);
  },
});

/** Describes the contents of a snapshot: `1 organization, 3 users (242 kB)`. */
function describe({ records, bytes }: Snapshot): string {
  const counts = Object.entries(records)
    .filter(([, count]) => count > 0)
    .map(([plural, count]) => formatNounCount(count, plural.replace(/s$/, '')));
  return `${counts.join(', ') || 'no records'} (${formatBytes(bytes)})`;
}

async function requireSnapshot(context: Context, name: string): Promise<void> {
  await (await openSnapshots({ location: await locate(context) })).find(name);
}

function locate({ options, folders }: Context): Promise<string> {
  return resolveStoreLocation(options.store, folders);
}
