import { findSimilar } from '../kernel/nearest.ts';
import { flagName } from './flags.ts';

/** Whether two field names are equal except for case, spaces, dashes, underscores, and dots. */
export function isSameName(first: string, second: string): boolean {
  return normalizeName(first) === normalizeName(second);
}

/**
 * Finds the known field that another name probably means: `Organization ID` or `org` for
 * `organizationId`, `folder` for `folderId`.
 */
export function findIntendedField(name: string, known: readonly string[]): string | undefined {
  return (
    known.find((field) => isSameName(name, field)) ??
    known.find((field) => {
      const short = flagName(field);
      return (
        isSameName(`${name}id`, field) || isSameName(name, short) || isSameName(name, `${short}id`)
      );
    }) ??
    findSimilar(name, known)
  );
}

/** Fields that choose where a write goes, or what a user may do there. */
const SELECTING_FIELDS = [
  'organizationId',
  'folderId',
  'documentId',
  'organizationUserGroupId',
  'parentFolderId',
  'accessRole',
] as const;

/** Other names of an access role. The values of such a field decide whether it is one. */
const ROLE_NAMES = /^(?:access|permissions?|(?:user|member|access)?(?:roles?|levels?|rights?))$/;

/**
 * Finds the field for which a name may stand that chooses where a write goes: `org`, `Organisation`,
 * `docId`, `role`.
 */
export function findSelectingField(name: string): string | undefined {
  if (ROLE_NAMES.test(normalizeName(name))) return 'accessRole';
  const long = name
    .replace(/organis/i, 'organiz')
    .replace(/^doc(?=$|[\s_.-]*id$)/i, 'document')
    .replace(/^user[\s_.-]*(?=group)/i, '');
  return SELECTING_FIELDS.find((field) => findIntendedField(long, [field]) !== undefined);
}

/** Removes what names of one field may differ in: case, spaces, dashes, underscores, and dots. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
