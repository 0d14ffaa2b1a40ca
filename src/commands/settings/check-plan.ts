import { createReadOnlyClient } from '../../client/read-only.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { hashFile } from '../../settings/file/read-files.ts';
import { readSecret } from '../../settings/file/read-secret.ts';
import { Ledger } from '../../settings/ledger.ts';
import { readLive } from '../../settings/live/read-live.ts';
import type { LiveRecords } from '../../settings/live-records.ts';
import type { SecretsByReference } from '../../settings/plan/item-secrets.ts';
import { findUnshownChange, rebuildPlan } from '../../settings/plan/rebuild-plan.ts';
import {
  EXPIRED,
  findPlanFiles,
  findStaleness,
  findUnusable,
  type SavedPlan,
} from '../../settings/plan/saved-plan.ts';
import type { AnyPlan } from '../../settings/plan/saved-write.ts';
import { findExpiredUser } from '../../settings/plan/unplannable.ts';
import { findUsersFile, type Plan } from '../../settings/plan.ts';
import { formatReference, parseReference } from '../../settings/secret-value.ts';
import { countUsersToSend } from '../../settings/users-file.ts';
import { findPlanTarget } from '../connection/find-target.ts';
import type { ConnectedCommand, OutputParts, ProcessEnvironment } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { changeWords, fileWords, nextOfSavedPlan } from './next-commands.ts';
import { DeclaredGrants, previewPlanAccess } from './preview-plan-access.ts';
import { DEFAULT_FILE } from './read-input.ts';

interface CheckedPlan {
  /** The plan with the writes that make exactly the changes that it shows. */
  readonly plan: Plan;
  readonly live: LiveRecords;
}

/**
 * Checks that a saved plan still describes the difference between its values and the service, and
 * plans its writes.
 * @param file file of the plan; undefined for a plan that was just made
 * @throws SvcError `stale_plan` if anything has changed, if the plan was applied before, or if it
 * does not show all that it would change; `invalid_input` for a missing secret
 */
export async function checkPlan(
  context: ConnectedCommand & OutputParts,
  saved: SavedPlan,
  file: string | undefined,
): Promise<CheckedPlan> {
  const { cwd, clock, signal } = context;
  const wasApplied = await Ledger.use(context, (ledger) => ledger.wasApplied(saved.sha256));
  if (wasApplied) throw createStalePlanError(saved, file, APPLIED_BEFORE);
  const target = await findPlanTarget(context);
  // Another target need not be reachable.
  const unusable = findUnusable(saved, target, clock.now());
  if (unusable !== undefined) {
    const error = createStalePlanError(saved, file, unusable);
    throw await withTargetHint(context, error, { plan: saved, file, unusable });
  }
  const secrets = await readPlanSecrets(context, saved);
  const hashes = await Promise.all(
    findPlanFiles(saved).map(({ path }) => hashFile(path, cwd, signal).catch(() => undefined)),
  );
  const client = createReadOnlyClient(await context.client());
  const live = await readLive(client, saved.query);
  const reason = await findStaleness(saved, {
    target,
    secrets: [...secrets.values()],
    wasApplied,
    now: clock.now(),
    files: hashes.filter((each) => each !== undefined),
    live,
  });
  if (reason !== undefined) throw createStalePlanError(saved, file, reason);
  const isAccessCompared =
    file !== undefined && saved.access !== undefined && (await context.target()).embedded;
  const grants = isAccessCompared ? new DeclaredGrants() : undefined;
  const usersToSend = await countPlannedUsers(context, saved, grants);
  const plan = rebuildPlan(saved, { live, secrets, usersToSend });
  const unshown = findUnshownChange(saved, plan);
  if (unshown !== undefined)
    throw createStalePlanError(
      saved,
      file,
      `the plan does not show how it would change ${unshown}`,
    );
  if (grants) {
    const { sha256 } = await previewPlanAccess(context, { plan, live, declared: grants });
    if (sha256 !== saved.access?.sha256)
      throw createStalePlanError(saved, file, 'the members have changed since the plan was saved');
  }
  const expired = findExpiredUser(plan.writes, clock.now());
  if (expired !== undefined)
    throw createStalePlanError(
      saved,
      file,
      `the access of user ${quoteId(expired)} has expired since`,
    );
  return { plan, live };
}

/** Reads every secret that a plan refers to. @throws SvcError if one is missing */
async function readPlanSecrets(
  { environment, cwd, signal }: ProcessEnvironment,
  { secrets }: SavedPlan,
): Promise<SecretsByReference> {
  const read = await Promise.all(
    Object.keys(secrets).map((text) => readSecret(parseReference(text), environment, cwd, signal)),
  );
  return new Map(read.map((secret) => [formatReference(secret.reference), secret]));
}

async function countPlannedUsers(
  context: ConnectedCommand & OutputParts,
  { target, changes }: SavedPlan,
  grants: DeclaredGrants | undefined,
) {
  const users = findUsersFile(changes);
  if (!users) return undefined;
  const file = { path: users.from, organizationId: users.organizationId };
  return Ledger.use(context, (ledger) =>
    countUsersToSend(
      file,
      grants?.createCheck(ledger, target) ?? ((record) => ledger.knows(target, record)),
      context.signal,
    ),
  );
}

interface UnusablePlan {
  readonly plan: AnyPlan;
  /** File of the plan; undefined for one that was not saved. */
  readonly file: string | undefined;
  /** The reason of `findUnusable`. */
  readonly unusable: string;
}

/** Adds the command that applies a saved plan to its own target, unless the plan has expired. */
export async function withTargetHint(
  context: ConnectedCommand & OutputParts,
  error: SvcError,
  { plan, file, unusable }: UnusablePlan,
): Promise<SvcError> {
  if (unusable === EXPIRED || file === undefined) return error;
  const { apply } = await nextOfSavedPlan(context, plan, file, { isApproved: true });
  if (apply !== undefined)
    return error.reworded({ hint: `to apply it to its target, run ${apply}` });
  return plan.target.url === EMBEDDED_SERVICE && !context.options.local
    ? error.reworded({ hint: 'to apply it to the embedded service, add --local' })
    : error;
}

export const APPLIED_BEFORE = 'the plan was applied before';

/** @param file file of the plan; undefined for one that was not saved */
export function createStalePlanError(
  { files, environment, names, changes, allowReplace }: SavedPlan,
  file: string | undefined,
  reason: string,
): SvcError {
  const flags = {
    file: names?.file === DEFAULT_FILE ? undefined : names?.file,
    env: environment ?? undefined,
    prune: changes.some(({ sign }) => sign === '-'),
    allowReplace,
  };
  const words =
    files.length === 0 ? ['undo'] : ['plan', ...fileWords(flags), ...changeWords(flags)];
  const out = file === undefined ? [] : ['--out', file];
  const message = `${file ?? 'the plan'} cannot be applied: ${reason}; nothing was sent`;
  return new SvcError('stale_plan', message, {
    hint: hint`to create a new plan, run ${step('show', ...words, ...out)}`,
  });
}
