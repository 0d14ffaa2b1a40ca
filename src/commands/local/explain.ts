import type { Explanation } from '../../catalog/local/answers.ts';
import { SvcError } from '../../kernel/errors.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { formatTime } from '../../output/times.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { wrapMessage } from '../../output/wrap-message.ts';
import type { Context } from '../context.ts';
import type { Invocation, ParsedOptions } from '../definition.ts';
import { describeAccess } from './describe-access.ts';
import { createLocalCommand } from './operation.ts';

const explainAccess = createLocalCommand('local.explain', {
  run: async ({ context, run }) => {
    const [explanation] = await run();
    await (await context.printer()).value(explanation, {
      renderText: (view) => renderExplanation(explanation, view),
    });
  },
});

export async function explainLocalAccess(
  context: Context,
  invocation: Invocation<ParsedOptions>,
): Promise<void> {
  const { cases, user, document, org } = invocation.options;
  if (typeof cases !== 'string') return explainAccess(context, invocation);
  if ([user, document, org].some((value) => value !== undefined))
    throw new SvcError('usage', 'specify --user, --document, and --org, or only --cases');
  await (await import('./access-cases.ts')).checkAccessCases(context, cases);
}

async function renderExplanation(explanation: Explanation, view: View): Promise<string> {
  const { via, nearMisses, path, grant, user } = explanation;
  const chain = path.map(
    ({ id, accessType, inherited }) =>
      `${id}${accessType === 'restricted' && !inherited ? ' (restricted)' : ''}`,
  );
  const notes = [
    ...via.map((granted) => `via ${describeMembership(granted, view)}`),
    ...nearMisses.map((missed) => `not via ${describeMembership(missed, view)}`),
    ...(via.length + nearMisses.length === 0 ? [`${user} is not a member of any level`] : []),
    `path: ${chain.toReversed().join(' > ')}`,
  ];
  const lines = [describeAccess(explanation), ...notes.map((note) => `  ${note}`)].map(
    escapeForTerminal,
  );
  const width = view.width ?? Number.POSITIVE_INFINITY;
  const measure = await createMeasure([lines]);
  const text = lines.flatMap((line) => {
    const [first = '', ...more] = wrapWords(line, width - 4, measure, true);
    return [first, ...more.map((rest) => `    ${rest}`)];
  });
  if (grant === null) return `${text.join('\n')}\n`;
  return `${text.join('\n')}\n${await wrapMessage(['grant access: ', { command: escapeForTerminal(grant) }], width)}\n`;
}

type Membership = Explanation['via'][number] & Partial<Explanation['nearMisses'][number]>;

function describeMembership(
  { level, id, role, expiresAt, reason, restrictedBy }: Membership,
  { display }: View,
): string {
  const expiry = expiresAt === null ? undefined : formatTime(expiresAt, display);
  const time =
    expiry === undefined ? '' : `, ${reason === 'expired' ? reason : 'expires'} ${expiry}`;
  return `${level} ${id} (${role}${time})${restrictedBy ? `: ${restrictedBy.level} ${restrictedBy.id} is restricted` : ''}`;
}
