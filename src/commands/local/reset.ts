import { resetState } from '../../service/state/reset.ts';
import { displayStoreLocation, resolveStoreLocation } from '../../service/store/location.ts';
import { Ledger } from '../../settings/ledger.ts';
import { ensureLocalWrites, withStore } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';

export async function localReset(context: Context): Promise<void> {
  const { options, folders } = context;
  await ensureLocalWrites(context);
  const path = displayStoreLocation(await resolveStoreLocation(options.store, folders));
  if (options.dryRun) return context.note('--dry-run: nothing was deleted');
  await context.confirm(`Delete every record in ${path}?`, 'this machine');
  await withStore(context, 'write', resetState);
  await forgetSentRecords(context);
  await context.note(`Deleted all records in ${path}; kept the workspace, API keys, and tokens`);
}

/**
 * Clears the ledger, so that the next plan sends the deleted records again. Other services also get
 * their records again.
 */
async function forgetSentRecords(context: Context): Promise<void> {
  await Ledger.use(context, (ledger) => ledger.forgetSent());
}
