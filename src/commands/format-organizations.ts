import { quoteUnclearId } from '../kernel/id-text.ts';
import { groupDigits } from '../kernel/plural.ts';

const MAX_SHOWN_ORGANIZATIONS = 20;

interface CountedOrganization {
  readonly id: string;
  readonly total: number;
  /** Number of records that were written. */
  readonly succeeded?: number;
  readonly new?: boolean;
}

/**
 * Formats counts by organization: `acme 199 · Acme Ltd 1 (new)`.
 * @param isPartial whether some records were not written: `acme 600 of 1,000`
 */
export function formatOrganizations(
  organizations: readonly CountedOrganization[],
  isPartial = false,
): string {
  const shown = organizations
    .slice(0, MAX_SHOWN_ORGANIZATIONS)
    .map(
      ({ id, total, succeeded = 0, new: isNew }) =>
        `${quoteUnclearId(id)} ${isPartial ? `${groupDigits(succeeded)} of ` : ''}${groupDigits(total)}${isNew ? ' (new)' : ''}`,
    );
  const more = organizations.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' · ');
}

/** Whether a job has records that were not written and did not exist before. */
export function hasMissingRecords({
  total,
  succeeded,
  existing = 0,
}: {
  readonly total: number;
  readonly succeeded: number;
  readonly existing?: number;
}): boolean {
  return succeeded + existing < total;
}

/** Whether counts by organization say more than the counts of the job. */
export function isWorthShowing(organizations: readonly CountedOrganization[]): boolean {
  return organizations.length > 1 || organizations.some((organization) => organization.new);
}
