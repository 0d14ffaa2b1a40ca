import { quoteId } from '../../kernel/id-text.ts';
import { groupDigits } from '../../kernel/plural.ts';

const MAX_SHOWN_ORGANIZATIONS = 20;

interface CountedOrganization {
  readonly id: string;
  readonly total: number;
  readonly new?: boolean;
}

/** Formats counts by organization: `acme 199 · Acme Ltd 1 (new)`. */
export function formatOrganizations(organizations: readonly CountedOrganization[]): string {
  const shown = organizations
    .slice(0, MAX_SHOWN_ORGANIZATIONS)
    .map(
      ({ id, total, new: isNew }) => `${quoteId(id)} ${groupDigits(total)}${isNew ? ' (new)' : ''}`,
    );
  const more = organizations.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' · ');
}

/** Whether counts by organization say more than the counts of the job. */
export function isWorthShowing(organizations: readonly CountedOrganization[]): boolean {
  return organizations.length > 1 || organizations.some((organization) => organization.new);
}
