import {
  assertAllowed,
  type Effects,
  findProtectionError,
  type Protections,
  type ReadOnly,
} from '../../client/write-guard.ts';
import { Hint, type SvcError } from '../../kernel/errors.ts';
import type { ReadOnlySource } from '../../profiles/folder-file.ts';
import type { CommandTarget } from '../../profiles/target.ts';
import type {
  CommandEnvironment,
  CommandService,
  PlanApprovals,
  ProtectedService,
} from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

/**
 * Finds out why a command may only read. `remote` in a `.svc.json` does not apply to the embedded
 * service in the command's own process.
 */
export function findReadOnly(target: CommandTarget): ReadOnly | undefined {
  const sources = target.readOnly.filter(({ scope }) => scope === 'all' || !target.embedded);
  return describeReadOnly(target, sources);
}

/** Finds out why an embedded service may only read that a command offers at an address. */
export async function findReadOnlyOfAddress({
  target,
}: Pick<CommandService, 'target'>): Promise<ReadOnly | undefined> {
  const resolved = await target();
  return describeReadOnly(resolved, resolved.readOnly);
}

function describeReadOnly(
  target: CommandTarget,
  sources: readonly ReadOnlySource[],
): ReadOnly | undefined {
  if (sources.length === 0) return undefined;
  return { subject: subjectOf(target), sources: sources.map(({ source }) => source) };
}

function subjectOf({ embedded, baseUrl }: CommandTarget): string {
  if (embedded) return `the ${EMBEDDED_SERVICE}`;
  return baseUrl ? new URL(baseUrl.value).host : 'the service';
}

/** Creates the state of the approvals that a target demands. */
export function createPlanApprovals(
  target: CommandTarget,
  rules: NonNullable<CommandTarget['approvals']>,
): PlanApprovals {
  let isGranted = false;
  return {
    subject: subjectOf(target),
    sources: rules.map(({ profile }) => `profile '${profile}'`),
    rules: rules.map(({ rule }) => rule),
    isGranted: () => isGranted,
    grant: () => {
      isGranted = true;
    },
  };
}

export async function findProtections({
  readOnly,
  approvals,
}: ProtectedService): Promise<Protections> {
  return { readOnly: await readOnly(), approvals: await approvals() };
}

/**
 * Refuses an operation before anything is read, checked, or asked. The client checks each request
 * again.
 * @param save how to save a plan of the operation
 * @throws SvcError `read_only` or `approval_required`
 */
export async function ensureAllowed(
  command: Pick<CommandEnvironment, 'options'> & ProtectedService,
  operation: Effects,
  save?: Hint | string,
): Promise<void> {
  if (!command.options.dryRun) assertAllowed(await findProtections(command), operation, save);
}

/** Whether a hint names a command that changes data, and the target accepts no such command. */
export async function isForbidden(
  service: ProtectedService,
  hint: string | Hint | undefined,
): Promise<boolean> {
  if (!namesChange(hint)) return false;
  // Without a valid target, the error says why.
  const protections = await findProtections(service).catch(() => undefined);
  return protections?.readOnly !== undefined || protections?.approvals !== undefined;
}

function namesChange(hint: string | Hint | undefined): boolean {
  return hint instanceof Hint && hint.steps.some(({ kind }) => kind === 'change');
}

/**
 * Omits a hint to a write that the target would refuse.
 * @param acceptsWrites whether the user of the error can run a write at all
 */
export async function withoutForbiddenHint(
  error: SvcError,
  service: ProtectedService,
  acceptsWrites = true,
): Promise<SvcError> {
  const { structuredHint } = error;
  const isOmitted =
    (!acceptsWrites && namesChange(structuredHint)) || (await isForbidden(service, structuredHint));
  return isOmitted ? error.reworded({ hint: '' }) : error;
}

/** @throws SvcError `read_only` or `approval_required` if the target hands out no secrets */
export async function ensureSecretsAllowed(service: ProtectedService): Promise<void> {
  const error = findProtectionError(
    await findProtections(service),
    'this command hands out secrets',
  );
  if (error) throw error;
}
