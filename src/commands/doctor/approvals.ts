import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { ApprovalRule } from '../../profiles/required-approvals.ts';
import { describeKeyStorage, readSigners } from '../../profiles/signers.ts';
import { describeKey, findSigningKey } from '../../profiles/ssh-keygen.ts';
import type { Context } from '../context.ts';
import { type CheckResult, fail, info, skipped } from './check.ts';

/** Checks the approvals that the profile demands, and tells where the keys of the signers are. */
export async function checkSigners({ approvals }: Context): Promise<CheckResult> {
  const required = await approvals();
  if (!required) return skipped('the profile demands no approvals');
  const rules: string[] = [];
  for (const rule of required.rules) {
    const described = await describeRule(rule);
    if (typeof described !== 'string') return described;
    rules.push(described);
  }
  return info(
    `plans need ${rules.join(', and ')}; this binds svc, not the token, which other programs can use`,
  );
}

/** Describes a rule, or why svc applies no plan. */
async function describeRule({
  count,
  signers: saved,
}: ApprovalRule): Promise<string | CheckResult> {
  const { sha256, signers } = await readSigners(saved.path);
  if (sha256 !== saved.sha256) {
    const problem = `${saved.path} has changed since a person saved it in the profile`;
    return fail('approval_required', `${problem}, so svc applies no plan`);
  }
  const keys = signers.map(
    ({ principals, keyType }) => `${principals} (${keyType}, ${describeKeyStorage(keyType)})`,
  );
  return `${formatNounCount(count, 'approval')} by: ${keys.join(', ')}`;
}

/** Tells where the key is that `svc approve` signs with by default. */
export async function checkSigningKey(context: Context): Promise<CheckResult> {
  try {
    const path = await findSigningKey(context);
    const key = await describeKey(context, path);
    if (!key) return skipped(`${path} is not an SSH key`);
    return info(`${path}: ${key.keyType} key ${describeKeyStorage(key.keyType)}`);
  } catch (error) {
    if (error instanceof SvcError) return skipped(error.message.replace(/; nothing was .*/, ''));
    throw error;
  }
}
