import { type Failure, SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { OutputParts } from '../context.ts';

const MAX_SHOWN = 20;

/**
 * Creates the error for an invalid input. Several findings are printed before the error, or joined
 * in JSON.
 * @param name source of the findings, such as `users.json`. `part` is the checked part of it, such
 * as `602 records`.
 */
export async function createFindingsError(
  output: OutputParts,
  {
    findings,
    findingCount,
  }: { readonly findings: readonly string[]; readonly findingCount: number },
  {
    failure,
    name,
    part,
    hint,
  }: { readonly failure: Failure; readonly part?: string } & Readonly<
    Record<'name' | 'hint', string>
  >,
): Promise<SvcError> {
  const [only = ''] = findings;
  if (findingCount === 1) return new SvcError(failure, only, { hint });
  const shown = findings.slice(0, MAX_SHOWN);
  const format = await output.format();
  const problems = formatNounCount(findingCount, 'problem');
  if (format === 'json' || format === 'ndjson')
    return new SvcError(failure, `${problems}: ${shown.join('; ')}`, { hint });
  const { stderr } = output.io;
  for (const finding of shown) await stderr.write(await formatMessage(finding, stderr));
  const more = findingCount > shown.length ? ` (first ${shown.length} shown)` : '';
  const place = part === undefined ? '' : ` in ${part}`;
  return new SvcError(failure, `${name}: ${problems}${place}${more}`, { hint });
}
