import type { AccessQuestion, Explanation } from '../../../catalog/local/answers.ts';
import { decideAccess, findDocumentAccess } from '../../records/document-access.ts';
import { selectUsers } from '../../records/users.ts';
import {
  createNotFoundError,
  type ReadingScope,
  readRows,
  requireOrganizationKey,
} from './list.ts';

/**
 * Explains whether a user can open a document.
 * @param commandOf converts the words of a command to a command line
 * @throws SvcError `not_found` for an unknown organization or document, or for a user who is in no
 * organization
 */
export async function explainAccess(
  scope: ReadingScope,
  question: AccessQuestion,
  commandOf: (words: readonly string[]) => string,
): Promise<Explanation> {
  const { database, now } = scope;
  const { user, document: documentId, organization: organizationId } = question;
  const organization = await requireOrganizationKey(scope, organizationId);
  const document = await findDocumentAccess(database, organization, documentId);
  if (!document) throw await createNotFoundError(scope, 'documents', documentId, organizationId);
  const own = await selectUsers(database, { organization, userId: user });
  const isKnown =
    own.length > 0 ||
    (await readRows(scope, 'users', undefined, { equals: { userId: user }, limit: 1 })).length > 0;
  if (!isKnown) throw await createNotFoundError(scope, 'users', user, organizationId);
  const decisions = await decideAccess(database, { organization, userIds: [user], now }, document);
  const { allowed = false, role = null, via = [], nearMisses = [] } = decisions.get(user) ?? {};
  const withId = <Level extends { readonly id: string }>(at: Level): Level => ({
    ...at,
    id: at.id || organizationId,
  });
  const command = grantCommand(question, nearMisses[0]?.role ?? 'viewer');
  return {
    ...question,
    allowed,
    role,
    disabled: document.disabled,
    via: via.map(withId),
    nearMisses: nearMisses.map(withId),
    path: document.path.map(withId),
    grant: allowed || document.disabled ? null : commandOf(command),
  };
}

function grantCommand(
  { user, document, organization }: AccessQuestion,
  role: string,
): readonly string[] {
  const quote = (id: string) => (/[",]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id);
  const resource = `type=document,id=${quote(document)},org=${quote(organization)},role=${role}`;
  return ['permissions', 'add', '--user', user, '--resource', resource];
}
