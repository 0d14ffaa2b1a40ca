import { createReadOnlyClient } from '../../client/read-only.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { AccessPreview } from '../../settings/access-preview.ts';
import { grantsOfSent, Ledger, type SentRecord } from '../../settings/ledger.ts';
import type { LiveRecords } from '../../settings/live-records.ts';
import { GrantLog } from '../../settings/memberships.ts';
import { mayChangeAccess, NO_ACCESS_CHANGES } from '../../settings/plan/access/no-changes.ts';
import type { PreviewedPlan } from '../../settings/plan/access/preview-access.ts';
import type { Plan } from '../../settings/plan.ts';
import type { ConnectedCommand, OutputParts } from '../context.ts';
import type { ReadMembers } from './read-members.ts';

/** Notes which grants of declared users were sent before, while the plan asks for each of them. */
export class DeclaredGrants {
  readonly sent = new GrantLog();
  readonly unsent = new GrantLog();

  /** Returns a function that reports whether a record was sent, and notes its grants. */
  createCheck(ledger: Ledger, target: Plan['target']): (record: SentRecord) => boolean {
    return (record) => {
      const isSent = ledger.knows(target, record);
      for (const grant of grantsOfSent(record)) (isSent ? this.sent : this.unsent).add(grant);
      return isSent;
    };
  }
}

export interface PreviewInput {
  readonly plan: Pick<Plan, 'target' | 'writes'>;
  readonly live: LiveRecords;
  readonly declared: DeclaredGrants;
  readonly members?: ReadMembers | undefined;
}

/**
 * Compares who has access before and after a plan, with the store of an embedded service, or with
 * what is known of the members of another service.
 */
export async function previewPlanAccess(
  context: ConnectedCommand & OutputParts,
  { plan, live, declared, members }: PreviewInput,
): Promise<AccessPreview> {
  const { writes, target } = plan;
  const hasFile = writes.some(({ from }) => from !== undefined);
  const preview = (now: number): PreviewedPlan => ({
    writes,
    now,
    ...(hasFile && { fileGrants: declared.unsent.grants }),
  });
  const { embedded } = await context.target();
  if (embedded && members)
    throw new SvcError('usage', 'svc reads the members of the embedded service from its store', {
      hint: 'omit --members',
    });
  if (!mayChangeAccess(writes))
    return { ...NO_ACCESS_CHANGES, ...(members && { members: members.file }) };
  const { previewAccess } = await import('../../settings/plan/access/preview-access.ts');
  if (embedded) {
    const [{ withStore }, { createStoreSource }] = await Promise.all([
      import('../connection/embedded-store.ts'),
      import('../../settings/plan/access/store-source.ts'),
    ]);
    return withStore(context, 'read', (store, apiKey, { time }) =>
      store.read((database) =>
        previewAccess(preview(time.now()), createStoreSource(database, apiKey)),
      ),
    );
  }
  const [{ createDeclaredSource }, { readFolderDocuments }] = await Promise.all([
    import('../../settings/plan/access/declared-source.ts'),
    import('../../settings/live/read-documents.ts'),
  ]);
  const client = createReadOnlyClient(await context.client());
  const access = await Ledger.use(context, (ledger) =>
    previewAccess(
      preview(context.clock.now()),
      createDeclaredSource({
        live,
        snapshot: members?.snapshot,
        sent: declared.sent.grants,
        unsent: declared.unsent.grants,
        findRemembered: (organizationId, userId) =>
          ledger.findMemberships(target, { organizationId, userId }),
        readDocuments: (organizationId, folderId) =>
          readFolderDocuments(client, organizationId, folderId),
      }),
    ),
  );
  return { ...access, ...(members && { members: members.file }) };
}
