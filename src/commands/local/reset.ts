import { resetState } from '../../service/state/reset.ts';
import { storeLocation, storeName } from '../../service/store/location.ts';
import type { Context } from '../context.ts';
import { withStore } from '../embedded/store.ts';

export async function localReset(context: Context): Promise<void> {
  const { options, folders } = context;
  const path = storeName(await storeLocation(options.store, folders));
  if (options.dryRun) return context.note(`nothing was deleted: --dry-run`);
  await context.confirm(`Delete every record in ${path}?`, 'this machine');
  await withStore(context, 'write', resetState);
  await context.note(`${path} holds no records any more; its workspace, API keys and tokens are as they were`);
}
