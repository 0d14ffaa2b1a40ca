import { type Failure, SvcError } from '../../kernel/errors.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';

/** What is wrong with an input: the first findings of however many there are. */
export interface Findings {
  readonly findings: readonly string[];
  readonly findingCount: number;
}

export interface Refused {
  readonly failure: Failure;
  /** Where the findings are, for the line above their number: `users.json`, and `its users`. */
  readonly name: string;
  readonly part: string;
  readonly hint: string;
}

const SHOWN = 20;

/** One finding is the error itself; of several, people read them line by line, and scripts the first few in the error. */
export async function refusal(
  context: Context,
  { findings, findingCount }: Findings,
  { failure, name, part, hint }: Refused,
): Promise<SvcError> {
  const [only = ''] = findings;
  if (findingCount === 1) return new SvcError(failure, only, { hint });
  const shown = findings.slice(0, SHOWN);
  const format = await context.format();
  if (format === 'json' || format === 'ndjson') {
    return new SvcError(failure, `${findingCount} problems: ${shown.join('; ')}`, { hint });
  }
  await context.io.stderr.write(shown.map((finding) => `${safeText(finding)}\n`).join(''));
  const more = findingCount > shown.length ? ` (the first ${shown.length} are shown)` : '';
  return new SvcError(failure, `${name}: ${findingCount} problems in ${part}${more}`, { hint });
}
