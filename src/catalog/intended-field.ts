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

/** Removes what names of one field may differ in: case, spaces, dashes, underscores, and dots. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
