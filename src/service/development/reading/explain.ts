import type { AccessRole } from '../../../catalog/access-roles.ts';
import { type AccessDecision, type DocumentAccess, decideAccess, findDocumentAccess } from '../../records/access.ts';
import { selectUsers } from '../../records/users.ts';
import { prepareQuery } from '../../store/prepared-query.ts';
import type { MemberLevel } from '../../store/tables.ts';
import type { AccessQuestion, Explanation } from './answers.ts';
import { toTime } from './kinds.ts';
import { notFound, type ReadingScope, requireOrganization } from './list.ts';

/**
 * Explains whether a user can open a document.
 * @param commandOf formats the words of a command as a command line
 * @throws SvcError `not_found` for an unknown organization or document, and for a user that no organization has
 */
export async function explainAccess(
  scope: ReadingScope,
  question: AccessQuestion,
  commandOf: (words: readonly string[]) => string,
): Promise<Explanation> {
  const { user, document: documentId } = question;
  const organization = await requireOrganization(scope, question.organization);
  const document = (await findDocumentAccess(scope.database, organization, [documentId])).get(documentId);
  if (!document) throw await notFound(scope, 'documents', documentId, organization);
  const found = await selectUsers(scope.database, { organization, userId: user });
  const known = found.length > 0 ? found : await selectUserAnywhere(scope.database, { apiKey: scope.apiKey, user });
  if (known.length === 0) throw await notFound(scope, 'users', user, organization);
  const decisions = await decideAccess(scope.database, { organization, userIds: [user], now: scope.now }, document);
  return describe(question, document, decisions.get(user) ?? { via: [], nearMisses: [], role: undefined }, commandOf);
}

function describe(
  question: AccessQuestion,
  { isDisabled, path }: DocumentAccess,
  { via, role, nearMisses }: AccessDecision,
  commandOf: (words: readonly string[]) => string,
): Explanation {
  const levelOf = ({ level, resourceId }: { readonly level: MemberLevel; readonly resourceId: string }) => {
    return { level, id: level === 'organization' ? question.organization : resourceId };
  };
  const missed = nearMisses.map(({ role: missedRole, expiresAt, reason, restrictedBy, ...at }) => ({
    ...{ ...levelOf(at), role: missedRole, expiresAt: toTime(expiresAt), reason },
    ...(restrictedBy && { restrictedBy: levelOf(restrictedBy) }),
  }));
  const isMissing = role === undefined && !isDisabled;
  return {
    ...question,
    allowed: role !== undefined,
    role: role ?? null,
    disabled: isDisabled,
    via: via.map(({ role: granted, expiresAt, ...at }) => ({ ...levelOf(at), role: granted, expiresAt: toTime(expiresAt) })),
    nearMisses: missed,
    path: path.map(({ accessType, isInherited = false, ...at }) => ({ ...levelOf(at), accessType, inherited: isInherited })),
    grant: isMissing ? commandOf(grantCommand(question, missed[0]?.role ?? 'viewer')) : null,
  };
}

function grantCommand({ user, document, organization }: AccessQuestion, role: AccessRole): readonly string[] {
  const quote = (id: string) => (/[",]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id);
  const resource = `type=document,id=${quote(document)},org=${quote(organization)},role=${role}`;
  return ['permissions', 'add', '--user', user, '--resource', resource];
}

const selectUserAnywhere = prepareQuery((database, { apiKey, user }: { readonly apiKey: string; readonly user: string }) =>
  database
    .selectFrom('organizations')
    .innerJoin('users', 'users.organization', 'organizations.key')
    .select('users.userId')
    .where('organizations.apiKey', '=', apiKey)
    .where('users.userId', '=', user),
);
