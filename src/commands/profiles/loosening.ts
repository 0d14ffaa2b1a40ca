import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Context } from '../context.ts';
import { becauseOfCi, canAsk } from '../terminal/terminal.ts';

const PROTECTIONS = ['protected', 'readOnly', 'approvals'] as const;
type Protection = (typeof PROTECTIONS)[number];

export function isProtection(field: string): field is Protection {
  return PROTECTIONS.some((protection) => protection === field);
}

/**
 * Lets only a person at a terminal loosen the protections of a profile. `--yes` does not confirm it.
 * @throws SvcError `usage` if prompts are not possible, or if the typed name is another one
 */
export async function confirmLoosening(
  context: Context,
  name: string,
  before: Profile,
  after: Profile,
): Promise<void> {
  const loosened = findLoosened(before, after).join(' and ');
  if (loosened === '') return;
  if (!canAsk(context))
    throw new SvcError(
      'usage',
      `only a person at a terminal can loosen the protection of profile '${name}'${becauseOfCi(context)}; nothing was changed`,
    );
  const message = `This loosens the protection of profile ${name}: ${loosened}. Type the profile name to continue`;
  const typed = await (await context.prompter()).text({ message });
  if (typed.trim() !== name)
    throw new SvcError('usage', 'the typed name does not match the profile; nothing was changed');
}

/** Describes each protection that is looser after a change. */
function findLoosened(before: Profile, after: Profile): readonly string[] {
  const { approvals: demanded = 0 } = before;
  const { approvals = 0 } = after;
  const { path, sha256 } = after.signers ?? {};
  const changesSigners = before.signers?.path !== path || before.signers?.sha256 !== sha256;
  return [
    ...(before.protected && !after.protected ? ['no longer protected'] : []),
    ...(before.readOnly && !after.readOnly ? ['no longer read-only'] : []),
    ...(approvals < demanded
      ? [`${formatNounCount(approvals, 'approval')} instead of ${demanded}`]
      : []),
    ...(demanded > 0 && approvals > 0 && changesSigners ? ['other signers'] : []),
  ];
}
