import { isSameName, normalizeName } from '../../catalog/intended-field.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';

/** Names that any ID field may have. */
const COMMON_ID_NAMES = ['id', 'uid', 'uuid', 'key', 'identifier', 'externalid', 'recordid'];
/** Names that the ID of a user may have. */
const USER_ID_NAMES = [
  'login',
  'loginname',
  'loginid',
  'username',
  'accountname',
  'samaccountname',
  'userprincipalname',
];
/** Matches numbers and IDs of people: `Employee No`, `Employee #`, `Staff ID`, `member-number`. */
const PERSON_NUMBER =
  /^(?:employee|staff|person(?:nel|s)?|people|member|worker|associate|account|contact)(?:id|no|nr|num|number|code|key|#)\.?$/;
/** Matches IDs of users in German, French, Spanish, Portuguese, Italian, Japanese, and Chinese. */
const TRANSLATED_USER_ID =
  /^(?:(?:benutzer|nutzer|mitarbeiter|personal)(?:id|nr|nummer|kennung)|id(?:d['’]|del?|do|dell['’])?(?:utilisateur|usuario|usuário|utente)|(?:identifiant|identificador)(?:utilisateur)?|(?:ユーザー?|用户)id)$/;

/**
 * Finds the field that probably contains the ID under another name: `id`, `User ID`, or `user` for
 * `userId`.
 */
export function findRenamedField(
  idField: string,
  names: readonly string[],
  knownFields: readonly string[],
): string | undefined {
  const others = names.filter((name) => !knownFields.includes(name));
  const isSame = (name: string) => isSameName(name, idField) || isSameName(`${name}id`, idField);
  return (
    others.find(isSame) ??
    others.find((name) => COMMON_ID_NAMES.some((common) => isSameName(common, name))) ??
    (idField === 'userId' ? others.find(isUserId) : undefined) ??
    findNearest(idField, others)
  );
}

function isUserId(name: string): boolean {
  const normalized = normalizeName(name).normalize('NFC');
  const matches = (pattern: RegExp) => pattern.test(normalized);
  return USER_ID_NAMES.includes(normalized) || [PERSON_NUMBER, TRANSLATED_USER_ID].some(matches);
}

export function renameHint(name: string, idField: string): string {
  return `did you mean '${name}'? add --map ${quoteForShell(`${name}=${idField}`)}`;
}
