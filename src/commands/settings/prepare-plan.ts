import { inputName } from '../../bulk/source/input-text.ts';
import type { InputProblem } from '../../catalog/define.ts';
import type { State } from '../../catalog/state.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { assertAllowed, createPlanAdvice } from '../../client/write-guard.ts';
import { type Hint, step } from '../../kernel/errors.ts';
import { formatFieldPath } from '../../kernel/field-path.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount, joinFirst } from '../../kernel/plural.ts';
import { findOwningStack } from '../../settings/file/identity.ts';
import { SettingsError } from '../../settings/file/read-settings.ts';
import { IGNORED_ENDPOINT_FIELDS } from '../../settings/kinds.ts';
import { Ledger } from '../../settings/ledger.ts';
import { queryDeclared } from '../../settings/live/declared-query.ts';
import { readLive } from '../../settings/live/read-live.ts';
import type { LiveRecords } from '../../settings/live-records.ts';
import { mayChangeAccess } from '../../settings/plan/access/no-changes.ts';
import { buildPlan, type PlanInput, selectKinds } from '../../settings/plan/build-plan.ts';
import { findMisspelledEvents, findNewEvents } from '../../settings/plan/declared-events.ts';
import { findMilliseconds, findUnplannable } from '../../settings/plan/unplannable.ts';
import { nameInSentence, type Plan } from '../../settings/plan.ts';
import {
  type Declared,
  type DeclaredRecord,
  type DeclaredSettings,
  findOnlyOrganization,
} from '../../settings/settings.ts';
import { findPlanTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { stepForService } from '../service-flags.ts';
import { withSpinner } from '../terminal/spinner.ts';
import { predictPlan } from './check-prediction.ts';
import { withPrintedProblems } from './load-settings-file.ts';
import { changeWords, fileWords } from './next-commands.ts';
import { withEnvironment } from './open-environment.ts';
import { DeclaredGrants, previewPlanAccess } from './preview-plan-access.ts';
import { DEFAULT_FILE, type PlanRequest } from './read-input.ts';

interface PreparedPlan {
  readonly plan: Plan;
  /** The state after the plan, if it can be predicted. */
  readonly predicted: State | undefined;
  readonly live: LiveRecords;
}

/**
 * Reads the live records that a settings file declares, and plans the changes for `work`. Sends no
 * write. To apply a plan at once, its target must not demand approvals. A plan for `drift` is only
 * about what can be read, and is not simulated.
 * @throws SvcError `usage` if the plan would delete too many records, `approval_required`
 */
export async function withPlan(
  context: Context,
  { settings, only, prune, pruneLimit, members }: PlanRequest,
  purpose: 'plan' | 'apply' | 'drift',
  work: (context: Context, prepared: PreparedPlan) => Promise<void>,
): Promise<void> {
  const selected = selectKinds(settings.declared, only);
  await warnAboutIgnored(context, settings, selected);
  const declared = purpose === 'drift' ? withoutSent(selected) : selected;
  const usersOrganization = findOnlyOrganization(settings.declared);
  const { environments, environment: chosen, name: file } = settings;
  const environment = environments.find(({ name }) => name === chosen);
  await withEnvironment(context, { ...environment, environments, file }, async (opened) => {
    // A target that is read-only accepts no plan either. Its refusal follows the changes.
    if (purpose === 'apply' && !opened.options.dryRun && !(await opened.readOnly()))
      assertAllowed(
        { approvals: await opened.approvals() },
        { effect: 'once', command: ['apply'] },
        planStep(opened, { settings, only, prune, pruneLimit }),
      );
    const query = queryDeclared(declared);
    const target = await findPlanTarget(opened);
    const client = createReadOnlyClient(await opened.client());
    const live = await withSpinner(opened, `${purpose}: reading ${nameInSentence(target)}`, () =>
      readLive(client, query),
    );
    const input = {
      declared,
      query,
      target,
      live,
      stack: settings.stack,
      // Drift shows every difference, and deletes nothing.
      prune: prune || (purpose === 'drift' && settings.stack !== undefined),
      pruneLimit: purpose === 'drift' ? Number.POSITIVE_INFINITY : pruneLimit,
      usersOrganization,
    };
    const grants = new DeclaredGrants();
    const plan = await planChanges(opened, input, grants);
    if (purpose !== 'drift') {
      const { writes } = plan;
      const declaration = { declared, live, writes, now: opened.clock.now() };
      const problems = [...findUnplannable(declaration), ...findMisspelledEvents(declared, live)];
      await assertPlannable(opened, settings, problems);
    }
    if (purpose === 'drift') await noteUnownedEndpoints(opened, declared, live);
    const prediction = purpose === 'drift' ? undefined : await predictPlan(opened, plan, live);
    const { effects = [], state } = prediction ?? {};
    // Grants of users that the plan excludes are known, too.
    if (purpose !== 'drift' && declared.users === undefined && mayChangeAccess(plan.writes))
      await planChanges(opened, { ...input, declared: pickUsers(settings.declared) }, grants);
    const access =
      purpose === 'drift'
        ? undefined
        : await previewPlanAccess(opened, { plan, live, declared: grants, members });
    const predicted = { ...plan, predicted: effects, ...(access && { access }) };
    await work(opened, { plan: predicted, predicted: state, live });
  });
}

/** Returns the command that saves the plan; undefined for a settings file that cannot be read again. */
function planStep(
  { options }: Context,
  { settings: { name, environment }, only, prune, pruneLimit }: PlanRequest,
): Hint | undefined {
  if (name === inputName('-')) return undefined;
  const words = [
    ...fileWords({ file: name === DEFAULT_FILE ? undefined : name, env: environment, only }),
    ...changeWords({ prune, pruneLimit: pruneLimit?.toString() }),
  ];
  const save = step('show', 'plan', ...words, '--out', 'plan.json');
  return createPlanAdvice(stepForService(options, save));
}

/** @throws SvcError `invalid_input` with every declared value that the plan would not give */
async function assertPlannable(
  context: Context,
  { name, positionOf }: DeclaredSettings,
  problems: readonly InputProblem[],
): Promise<void> {
  if (problems.length === 0) return;
  const texts = await Promise.all(problems.map((problem) => formatProblem(positionOf, problem)));
  await withPrintedProblems(context, name, () => Promise.reject(new SettingsError(name, texts)));
}

async function formatProblem(
  positionOf: DeclaredSettings['positionOf'],
  { path, message }: InputProblem,
): Promise<string> {
  return `${await positionOf(path)}: ${formatFieldPath(path)}: ${message}`;
}

const MAX_NAMED = 5;

/** Names live endpoints without a stack that the file does not declare, in one message. */
async function noteUnownedEndpoints(
  context: Context,
  { endpoints: declared }: Declared,
  { endpoints }: LiveRecords,
): Promise<void> {
  const known = new Set(declared?.flatMap(({ id, uid }) => [id, uid]));
  const unowned = (endpoints?.records ?? []).filter(
    ({ id, uid }) => findOwningStack(uid) === undefined && !known.has(id) && !known.has(uid ?? id),
  );
  if (unowned.length === 0) return;
  const named = unowned.map(({ id, uid }) => quoteId(String(uid ?? id)));
  await context.note(
    `${formatNounCount(unowned.length, 'undeclared endpoint')} without a stack: ${joinFirst(named, MAX_NAMED)}`,
  );
}

async function planChanges(
  context: Context,
  input: Omit<PlanInput, 'isSent' | 'usersToSend'>,
  grants: DeclaredGrants,
): Promise<Plan> {
  const { target, usersOrganization, declared } = input;
  const { organizations, groups, users } = declared;
  const build = async (isSent: PlanInput['isSent']) => {
    if (!users || !('from' in users)) return buildPlan({ ...input, isSent });
    const { countUsersToSend } = await import('../../settings/users-file.ts');
    const file = { path: users.from, organizationId: usersOrganization };
    const usersToSend = await countUsersToSend(file, isSent, context.signal);
    return buildPlan({ ...input, isSent, usersToSend });
  };
  if (!organizations && !groups && !users) return build(() => false);
  return Ledger.use(context, (ledger) => build(grants.createCheck(ledger, target)));
}

function pickUsers({ users }: Declared): Declared {
  return users ? { users } : {};
}

function withoutSent({
  organizations: _organizations,
  groups: _groups,
  users: _users,
  ...rest
}: Declared): Declared {
  return rest;
}

async function warnAboutIgnored(context: Context, settings: DeclaredSettings, declared: Declared) {
  const { endpoints = [], users = [] } = declared;
  const milliseconds = 'from' in users ? [] : findMilliseconds(users);
  for (const problem of [...milliseconds, ...findNewEvents(declared)])
    await context.warn(await formatProblem(settings.positionOf, problem));
  const kinds = Object.keys(settings.content);
  if (kinds.length > 0)
    await context.note(`${settings.name}: ignored ${kinds.join(', ')}: content is not a setting`);
  const { stack } = settings;
  const outside = endpoints.flatMap(({ uid }: DeclaredRecord) =>
    stack !== undefined && typeof uid === 'string' && findOwningStack(uid) !== stack ? [uid] : [],
  );
  if (outside.length > 0)
    await context.warn(
      `${settings.name}: ${formatNounCount(outside.length, 'endpoint')} outside stack ${stack}: ${outside.map(quoteId).join(', ')}; --prune deletes only ${stack}.<name>`,
    );
  const has = (field: string) =>
    endpoints.some((endpoint: DeclaredRecord) => endpoint[field] !== undefined);
  const ignored = IGNORED_ENDPOINT_FIELDS.filter(has);
  if (ignored.length > 0)
    await context.warn(`${settings.name}: ignored ${ignored.join(', ')} of endpoints`);
}
