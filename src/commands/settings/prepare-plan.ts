import { createReadOnlyClient } from '../../client/read-only.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { buildPlan, type PlanInput, selectKinds } from '../../settings/build-plan.ts';
import { Ledger } from '../../settings/ledger.ts';
import { queryDeclared } from '../../settings/live/declared-query.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { createSnapshot, selectPredictable } from '../../settings/live/snapshot.ts';
import type { Plan } from '../../settings/plan.ts';
import type { Declared, DeclaredRecord, DeclaredSettings } from '../../settings/settings.ts';
import { countUsersToSend, findOnlyOrganization } from '../../settings/users-file.ts';
import type { Context } from '../context.ts';
import { parseWholeNumber } from '../option-values.ts';
import { findPlanTarget } from '../plan/find-target.ts';
import { loadSettingsFile } from '../plan/load-settings-file.ts';
import { withEnvironment } from '../plan/open-environment.ts';
import type { ChangeFlags } from './flags.ts';

export const DEFAULT_FILE = 'svc.yaml';

interface Purpose {
  /** Whether the plan is only about what can be read, and is never applied. */
  readonly readsOnly?: boolean;
}

/**
 * Loads the settings file, reads the live records that it declares, and plans the changes for `work`. Sends no write.
 * @throws SvcError `bad_data` for an invalid file, `usage` if the plan would delete too many records
 */
export async function withPlan(
  context: Context,
  flags: ChangeFlags,
  { readsOnly = false }: Purpose,
  work: (context: Context, plan: Plan, settings: DeclaredSettings) => Promise<void>,
): Promise<void> {
  const pruneLimit = parseWholeNumber('--prune-limit', flags.pruneLimit, 0);
  const settings = await loadSettingsFile(context, flags.file ?? DEFAULT_FILE, flags.env);
  for (const secret of settings.secrets) rememberSecret(secret.reveal());
  const declared = selectKinds(settings.declared, flags.only ?? []);
  await warnAboutIgnored(context, settings, declared);
  await withEnvironment(context, settings, async (opened) => {
    const plan = await planChanges(opened, {
      ...{ declared: readsOnly ? withoutSent(declared) : declared, stack: settings.stack },
      ...{ prune: flags.prune === true, pruneLimit, readsOnly },
      usersOrganization: findOnlyOrganization(settings.declared),
    });
    await work(opened, plan, settings);
  });
}

interface Changes extends Purpose {
  readonly declared: Declared;
  readonly stack: string | undefined;
  readonly prune: boolean;
  readonly pruneLimit: number | undefined;
  /** Organization of the users of a file that does not name it. */
  readonly usersOrganization: string | undefined;
}

async function planChanges(context: Context, changes: Changes): Promise<Plan> {
  const { clock, signal } = context;
  const query = queryDeclared(changes.declared);
  const target = await findPlanTarget(context);
  const live = await readLive(createReadOnlyClient(await context.client()), query);
  const { declared, usersOrganization } = changes;
  const { organizations, groups, users } = declared;
  const build = async (isSent: PlanInput['isSent']) => {
    const file = users && 'from' in users ? { path: users.from, organizationId: usersOrganization } : undefined;
    const usersToSend = file && (await countUsersToSend(file, isSent, signal));
    return buildPlan({ ...changes, query, target, live, isSent, ...(usersToSend && { usersToSend }) });
  };
  const hasSent = organizations || groups || users;
  const plan = hasSent
    ? await Ledger.use(context, (ledger) => build((record) => ledger.knows(target, record)))
    : await build(() => false);
  const writes = selectPredictable(plan.writes);
  if (writes.length === 0 || changes.readsOnly) return plan;
  const { predict } = await import('../../settings/foresight.ts');
  const { effects } = await predict({ snapshot: createSnapshot(live), writes, clock, signal });
  return { ...plan, predicted: effects };
}

function withoutSent({ organizations: _organizations, groups: _groups, users: _users, ...rest }: Declared): Declared {
  return rest;
}

/** Fields of endpoints that only `svc local import` uses. */
const IGNORED_FIELDS = ['secret', 'createdAt', 'updatedAt'];

async function warnAboutIgnored(context: Context, settings: DeclaredSettings, { endpoints = [] }: Declared) {
  const kinds = Object.keys(settings.content);
  if (kinds.length > 0) await context.note(`${settings.name}: ignored ${kinds.join(', ')}: content is not a setting`);
  const has = (field: string) => endpoints.some((endpoint: DeclaredRecord) => endpoint[field] !== undefined);
  const ignored = IGNORED_FIELDS.filter(has);
  if (ignored.length > 0) await context.warn(`${settings.name}: ignored ${ignored.join(', ')} of endpoints`);
}
