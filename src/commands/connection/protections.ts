import {
  assertAllowed,
  findProtectionError,
  type Protections,
  type ReadOnly,
} from '../../client/write-guard.ts';
import { findReadOnlySources } from '../../profiles/read-only.ts';
import type { Context, PlanApprovals } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

/**
 * Finds out why a command may only read: its profile, the environment, or a folder. A profile does
 * not apply to the embedded service.
 * @throws SvcError `usage` for an unknown value
 */
export async function findReadOnly(
  { environment, cwd, openSettings }: Pick<Context, 'environment' | 'cwd' | 'openSettings'>,
  isLocal: boolean,
): Promise<ReadOnly | undefined> {
  const { readOnly, profile, baseUrl } = isLocal ? {} : await openSettings();
  const sources = [
    ...(readOnly && profile ? [`profile '${profile.value}'`] : []),
    ...(await findReadOnlySources({ environment, cwd })),
  ];
  if (sources.length === 0) return undefined;
  const host = baseUrl && new URL(baseUrl.value).host;
  return { subject: isLocal ? `the ${EMBEDDED_SERVICE}` : (host ?? 'the service'), sources };
}

/** Finds out whether the profile of a command demands approvals. */
export async function findPlanApprovals({
  openSettings,
}: Pick<Context, 'openSettings'>): Promise<PlanApprovals | undefined> {
  const { approvals: rule, profile, baseUrl } = await openSettings();
  if (!rule) return undefined;
  let isGranted = false;
  return {
    subject: baseUrl ? new URL(baseUrl.value).host : 'the service',
    sources: [`profile '${profile?.value}'`],
    rule,
    isGranted: () => isGranted,
    grant: () => {
      isGranted = true;
    },
  };
}

type ProtectedContext = Pick<Context, 'readOnly' | 'approvals'>;

export async function findProtections({
  readOnly,
  approvals,
}: ProtectedContext): Promise<Protections> {
  return { readOnly: await readOnly(), approvals: await approvals() };
}

/**
 * Refuses an operation before anything is read, checked, or asked. The client checks each request
 * again.
 * @throws SvcError `read_only` or `approval_required`
 */
export async function ensureAllowed(
  context: Context,
  operation: Parameters<typeof assertAllowed>[1],
): Promise<void> {
  if (!context.options.dryRun) assertAllowed(await findProtections(context), operation);
}

/** @throws SvcError `read_only` or `approval_required` if the target hands out no secrets */
export async function ensureSecretsAllowed(context: ProtectedContext): Promise<void> {
  const error = findProtectionError(
    await findProtections(context),
    'this command hands out secrets',
  );
  if (error) throw error;
}
