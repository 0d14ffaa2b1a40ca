import { assertAllowed } from '../../client/write-guard.ts';
import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { createServiceClock, type ServiceClock } from '../../service/local/clock.ts';
import { createDevelopmentState, type DevelopmentState } from '../../service/local/state.ts';
import { ensureLocalCredentials } from '../../service/records/bootstrap.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import { Refusal } from '../../service/store/refusal.ts';
import type { Store } from '../../service/store/store.ts';
import type { ConnectedCommand } from '../context.ts';

/**
 * Keeps the store open while `work` runs. Passes the API key of `--local`.
 * @param effect whether `work` reads or writes. Determines the error if the connection to the store
 * is lost.
 * @throws SvcError if the store rejects a request or fails
 */
export async function withStore<Result>(
  context: ConnectedCommand,
  effect: 'read' | 'write',
  work: (
    store: Store,
    apiKey: string,
    state: { development: DevelopmentState; time: ServiceClock },
  ) => Promise<Result>,
): Promise<Result> {
  if (effect === 'write') await ensureLocalWrites(context);
  const { options, folders, signal, clock } = context;
  return closeAfter(
    await openStore(await resolveStoreLocation(options.store, folders), { signal }),
    (store) =>
      explainRefusals(effect, async () => {
        const { apiKey } = await ensureLocalCredentials(store);
        const development = createDevelopmentState(store);
        await development.current();
        return work(store, apiKey, { development, time: createServiceClock(clock, development) });
      }),
  );
}

/** @throws SvcError `read_only` if the embedded service is read-only, except with `--dry-run` */
export async function ensureLocalWrites({ options, readOnly }: ConnectedCommand): Promise<void> {
  if (!options.dryRun) assertAllowed({ readOnly: await readOnly() }, { effect: 'once' });
}

export async function explainRefusals<Result>(
  effect: 'read' | 'write',
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Refusal ? toSvcError(error, effect) : error;
  }
}

function toSvcError(error: Refusal, effect: 'read' | 'write'): SvcError {
  const { status, message, cause } = error;
  if (status === 'FAILED_PRECONDITION')
    return new SvcError('failed_precondition', message, { status, cause });
  if (status !== 'UNAVAILABLE') return new SvcError('invalid_input', message, { status, cause });
  if (cause === undefined)
    return new SvcError('locked', message, {
      status,
      hint: 'another process is writing to the store; try again',
    });
  if (effect === 'read')
    return new SvcError('unreachable', message, { status, hint: 'try again', cause });
  const hint = 'either all changes were applied or none: check before you try again';
  return new SvcError('outcome_unknown', message, { status, hint, cause });
}
