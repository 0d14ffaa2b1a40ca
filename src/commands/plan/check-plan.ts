import { createReadOnlyClient } from '../../client/read-only.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { hashFile } from '../../settings/file/read-files.ts';
import { readSecret } from '../../settings/file/read-secret.ts';
import { Ledger } from '../../settings/ledger.ts';
import type { LiveRecords } from '../../settings/live/live-records.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { findStaleness, type SavedPlan } from '../../settings/saved-plan.ts';
import { parseReference } from '../../settings/secret-value.ts';
import type { Context } from '../context.ts';
import { findPlanTarget } from './find-target.ts';

/**
 * Checks that a saved plan still describes the difference between its settings file and the
 * service.
 * @param name name of the plan in messages
 * @returns the live records
 * @throws SvcError `stale_plan` if anything has changed, or if the plan was applied before;
 * `invalid_input` for a missing secret
 */
export async function checkPlan(
  context: Context,
  plan: SavedPlan,
  name: string,
): Promise<LiveRecords> {
  const { cwd, clock, signal, environment } = context;
  const wasApplied = await Ledger.use(context, (ledger) => ledger.wasApplied(plan.sha256));
  if (wasApplied) throw stalePlanError(plan, name, 'the plan was applied before');
  const secrets = await Promise.all(
    Object.keys(plan.secrets).map((text) => readSecret(parseReference(text), environment, cwd)),
  );
  const files = await Promise.all(
    plan.files.map(({ path }) => hashFile(path, cwd, signal).catch(() => undefined)),
  );
  const target = await findPlanTarget(context);
  const client = createReadOnlyClient(await context.client());
  const live = await readLive(client, plan.query);
  const reason = findStaleness(plan, {
    target,
    secrets,
    wasApplied,
    now: clock.now(),
    files: files.filter((file) => file !== undefined),
    live,
  });
  if (reason !== undefined) throw stalePlanError(plan, name, reason);
  return live;
}

export function stalePlanError(
  { files, environment }: SavedPlan,
  name: string,
  reason: string,
): SvcError {
  const env = environment === null ? [] : ['--env', environment];
  const words = files.length === 0 ? ['undo'] : ['plan', ...env];
  return new SvcError('stale_plan', `${name} is outdated: ${reason}; nothing was sent`, {
    hint: hint`create a new plan with ${step('show', ...words, '--out', name)}`,
  });
}
