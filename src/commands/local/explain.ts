import { SvcError } from '../../kernel/errors.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { formatTime } from '../../output/times.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { wrapMessage } from '../../output/wrap-message.ts';
import { type AccessQuestion, type Explanation, explainAccess } from '../../service/development/reading/explain.ts';
import type { ReadingScope } from '../../service/development/reading/list.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { commandForService } from '../service-flags.ts';
import { findOrganizationId, readStore } from './reading.ts';
import type { ExplainAccessFlags } from './reading-flags.ts';

export async function explainLocalAccess(context: Context, { options }: Invocation<ExplainAccessFlags>): Promise<void> {
  const { user, document, cases } = options;
  if (cases !== undefined) {
    if (user !== undefined || document !== undefined)
      throw new SvcError('usage', '--cases cannot be combined with --user or --document');
    return (await import('./access-cases.ts')).checkAccessCases(context, cases);
  }
  const organization = await findOrganizationId(context, options.org);
  if (user === undefined || document === undefined || organization === undefined) {
    const missing = user === undefined ? '--user' : document === undefined ? '--document' : '--org';
    throw new SvcError('usage', `${missing} is required`, { hint: 'use --user, --document, and --org, or --cases' });
  }
  const explanation = await readStore(context, (scope) => explainLocally(context, scope, { user, document, organization }));
  await (await context.printer()).value(explanation, { renderText: (view) => renderExplanation(explanation, view) });
}

export function explainLocally({ options }: Context, scope: ReadingScope, question: AccessQuestion): Promise<Explanation> {
  return explainAccess(scope, question, (words) => commandForService({ ...options, local: true }, ...words));
}

/** Summarizes an explanation: `u1 can open d1 as editor`. */
export function describeAccess({ user, document, role, disabled }: Explanation): string {
  if (disabled) return `${user} cannot open ${document}: the document is disabled`;
  return role ? `${user} can open ${document} as ${role}` : `${user} cannot open ${document}`;
}

async function renderExplanation(explanation: Explanation, view: View): Promise<string> {
  const { via, nearMisses, path, grant, user } = explanation;
  const chain = path.map(
    ({ id, accessType, inherited }) => `${id}${accessType === 'restricted' && !inherited ? ' (restricted)' : ''}`,
  );
  const notes = [
    ...via.map((granted) => `via ${describeGrant(granted, view)}`),
    ...nearMisses.map((missed) => `not via ${describeGrant(missed, view)}${describeReason(missed)}`),
    ...(via.length + nearMisses.length === 0 ? [`${user} is not a member of any level`] : []),
    `path: ${chain.toReversed().join(' > ')}`,
  ];
  const lines = [describeAccess(explanation), ...notes.map((note) => `  ${note}`)].map(escapeForTerminal);
  const width = view.width ?? Number.POSITIVE_INFINITY;
  const measure = await createMeasure([lines]);
  const text = lines.flatMap((line) => {
    const [first = '', ...more] = wrapWords(line, width - 4, measure, true);
    return [first, ...more.map((rest) => `    ${rest}`)];
  });
  if (grant === null) return `${text.join('\n')}\n`;
  return `${text.join('\n')}\n${await wrapMessage(['grant access: ', { command: escapeForTerminal(grant) }], width)}\n`;
}

function describeGrant({ level, id, role, expiresAt }: Explanation['via'][number], { display }: View): string {
  const expiry =
    expiresAt === null
      ? ''
      : `, ${Date.parse(expiresAt) > display.now ? 'expires' : 'expired'} ${formatTime(expiresAt, display) ?? expiresAt}`;
  return `${level} ${id} (${role}${expiry})`;
}

function describeReason({ reason, restrictedBy }: Explanation['nearMisses'][number]): string {
  return reason === 'restricted' && restrictedBy ? `: ${restrictedBy.level} ${restrictedBy.id} is restricted` : '';
}
