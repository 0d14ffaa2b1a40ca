import type { RequestRecord } from '../../catalog/local/answers.ts';
import type { AdminNeed } from '../../catalog/local/define.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import type { AdminOperationName, NeedOf } from '../../catalog/local/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { openEmbedded } from '../../service/embedded.ts';
import type { AdminContexts } from '../../service/local/operations.ts';
import { withoutBodies } from '../../service/local/requests/record.ts';
import { openRequestFile, type RequestFile } from '../../service/local/requests/request-file.ts';
import {
  checkWaitTimeout,
  createWaitError,
  type WaitOptions,
} from '../../service/local/requests/request-log.ts';
import { locateRequestFile, resolveStoreLocation } from '../../service/store/location.ts';
import { explainRefusals, withStore } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';
import { createErrorReporter } from '../terminal/error-reporter.ts';

type Effect = 'read' | 'write';
type Work<Needed, Result> = (needed: Needed) => Promise<Result>;

type Opener<Need extends AdminNeed> = <Result>(
  context: Context,
  effect: Effect,
  work: Work<AdminContexts[Need], Result>,
) => Promise<Result>;

/** Opens the parts of the service that operations need, each without the others. */
const OPENERS: { readonly [Need in AdminNeed]: Opener<Need> } = {
  service: withService,
  data: withData,
  requests: (context, _, work) =>
    withRequestFile(context, (file) => work({ requests: createLog(context, file) })),
  snapshots: async (context, effect, work) => {
    const location = await resolveStoreLocation(context.options.store, context.folders);
    return explainRefusals(effect, () =>
      work({ location, onUnreadable: (error) => void context.warn((error as Error).message) }),
    );
  },
};

/** Opens what an operation needs of the store that the options select. */
export function withAdminContext<Name extends AdminOperationName, Result>(
  context: Context,
  name: Name,
  work: Work<AdminContexts[NeedOf<Name>], Result>,
): Promise<Result> {
  const { needs, effect } = getAdminEntry(name);
  return openNeeded(needs, context, effect === 'read' ? 'read' : 'write', work);
}

function openNeeded<Need extends AdminNeed, Result>(
  needs: Need,
  context: Context,
  effect: Effect,
  work: Work<AdminContexts[Need], Result>,
): Promise<Result> {
  return OPENERS[needs](context, effect, work);
}

/** Opens the whole service, which the clock needs to send the deliveries that become due. */
async function withService<Result>(
  context: Context,
  effect: Effect,
  work: Work<AdminContexts['service'], Result>,
): Promise<Result> {
  const { clock, options, folders, signal } = context;
  const location = await resolveStoreLocation(options.store, folders);
  const report = createErrorReporter(context);
  const service = await openEmbedded(location, { clock, signal, logFolder: folders.data, report });
  return closeAfter(service, ({ development }) =>
    explainRefusals(effect, () => work({ ...development, signal })),
  );
}

function withData<Result>(
  context: Context,
  effect: Effect,
  work: Work<AdminContexts['data'], Result>,
): Promise<Result> {
  const { clock: realClock, options } = context;
  // Hints contain the flags that select the store.
  const commandOf = (words: readonly string[]) =>
    commandForService({ ...options, local: true }, ...words);
  return withStore(context, effect, (store, apiKey, { development }) =>
    work({ store, apiKey, development, realClock, commandOf }),
  );
}

export async function withRequestFile<Result>(
  { options, folders }: Context,
  work: (file: RequestFile) => Promise<Result>,
): Promise<Result> {
  const path = locateRequestFile(await resolveStoreLocation(options.store, folders), folders.data);
  const file = await openRequestFile(path).catch((error: unknown) => {
    if (error instanceof SvcError) throw error;
    throw new SvcError('local', `cannot read the request log ${path}: ${String(error)}`, {
      cause: error,
    });
  });
  return closeAfter(file, work);
}

/** Interval for reading new requests, in milliseconds. */
export const POLL_INTERVAL = 50;

/** Creates the log of a service that runs in another process. */
function createLog({ clock, signal }: Context, file: RequestFile) {
  return {
    list: file.list,
    find: file.find,
    wait: async ({
      on,
      count = 1,
      timeout = 60_000,
    }: WaitOptions = {}): Promise<readonly RequestRecord[]> => {
      checkWaitTimeout(timeout);
      const since = Date.now();
      for (;;) {
        const isLast = Date.now() >= since + timeout;
        const requests = file.list({ on, since, after: 0, limit: count });
        if (requests.length >= count) return requests.map(withoutBodies);
        if (isLast) throw createWaitError({ on, count, timeout }, requests.length);
        const left = since + timeout - Date.now();
        await clock.sleep(Math.max(1, Math.min(POLL_INTERVAL, left)), signal);
      }
    },
  };
}
