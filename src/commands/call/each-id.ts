import { type Failure, SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';

/**
 * Collects the failures of a command that makes the same call for several IDs.
 * @param isolatedFailures failures after which the next ID is still tried
 */
export function collectIdFailures(
  context: Context,
  noun: string,
  ids: readonly string[],
  isolatedFailures: readonly Failure[],
) {
  const failed: { readonly id: string; readonly error: SvcError }[] = [];
  return {
    /**
     * Prints the failure of an ID as a warning.
     * @throws the error itself if there is only one ID, or, with the list of untried IDs, if other
     * IDs would fail too
     */
    async add(id: string, error: unknown): Promise<void> {
      if (!(error instanceof SvcError) || ids.length === 1) throw error;
      if (!isolatedFailures.includes(error.failure)) {
        const remaining = ids.slice(ids.indexOf(id) + 1);
        const untried = remaining.length > 0 ? `; not tried: ${remaining.join(', ')}` : '';
        throw error.reworded({ message: `${id}: ${error.message}${untried}` });
      }
      failed.push({ id, error });
      await context.warn(`${id}: ${error.message}${error.status ? ` (${error.status})` : ''}`);
    },
    /** @throws SvcError `records_failed` with the failed IDs */
    throwIfAny(): void {
      const [first] = failed;
      if (!first) return;
      const message = `${failed.length} of ${formatNounCount(ids.length, noun)} failed: ${failed.map(({ id }) => id).join(', ')}`;
      throw new SvcError('records_failed', message, optionalProperty('hint', first.error.hint));
    },
  };
}
