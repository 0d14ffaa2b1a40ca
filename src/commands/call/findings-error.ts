import { type Failure, SvcError } from '../../kernel/errors.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { Context } from '../context.ts';

interface FindingsContext {
  readonly failure: Failure;
  /** Source of the findings, and the part of it that was checked: `users.json` and `its users`. */
  readonly name: string;
  readonly part: string;
  readonly hint: string;
}

const MAX_SHOWN = 20;

/** Creates the error for an invalid input. Several findings are printed before the error, or joined in JSON. */
export async function findingsError(
  context: Context,
  { findings, findingCount }: { readonly findings: readonly string[]; readonly findingCount: number },
  { failure, name, part, hint }: FindingsContext,
): Promise<SvcError> {
  const [only = ''] = findings;
  if (findingCount === 1) return new SvcError(failure, only, { hint });
  const shown = findings.slice(0, MAX_SHOWN);
  const format = await context.format();
  if (format === 'json' || format === 'ndjson') {
    return new SvcError(failure, `${findingCount} problems: ${shown.join('; ')}`, { hint });
  }
  const { stderr } = context.io;
  for (const finding of shown) await stderr.write(await formatMessage(finding, stderr));
  const more = findingCount > shown.length ? ` (first ${shown.length} shown)` : '';
  return new SvcError(failure, `${name}: ${findingCount} problems in ${part}${more}`, { hint });
}
