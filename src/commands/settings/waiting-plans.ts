import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { throwFileError } from '../../kernel/files.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { readHead } from '../../kernel/read-file.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import { combineRules } from '../../profiles/required-approvals.ts';
import { Ledger } from '../../settings/ledger.ts';
import { isExpired } from '../../settings/plan/saved-plan.ts';
import { type AnyPlan, hasAnyWrites, parsePlanFile } from '../../settings/plan/saved-write.ts';
import type { Context } from '../context.ts';
import { findProfilesOfPlan } from './next-commands.ts';
import { isUsed } from './used-mark.ts';
import { countApprovals, readApprovals } from './verify-approvals.ts';

/** A saved plan that can still be applied. */
export interface WaitingPlan {
  readonly file: string;
  readonly plan: AnyPlan;
  /** Number of valid approvals beside the plan, up to those that are demanded. */
  readonly approvals: number;
  /** Number of approvals that the profiles of this machine demand for the target, if any do. */
  readonly required: number | undefined;
}

/** Finds the saved plans of the current folder that can still be applied, the oldest first. */
export async function findWaitingPlans(context: Context): Promise<readonly WaitingPlan[]> {
  const { cwd, folders } = context;
  const names = await readdir(cwd).catch(throwFileError('read', cwd));
  const profiles = await readProfiles(folders);
  const found: WaitingPlan[] = [];
  for (const file of names.filter((name) => name.endsWith('.json'))) {
    context.signal.throwIfAborted();
    const plan = await readWaitingPlan(context, file);
    if (!plan) continue;
    const rules = combineRules(findProfilesOfPlan(profiles, plan)).map(({ rule }) => rule);
    const files = await readApprovals(cwd, file);
    if (rules.length === 0) {
      const approvals = await countApprovals(context, plan, files, undefined);
      found.push({ file, plan, approvals, required: undefined });
      continue;
    }
    const counted = await Promise.all(
      rules.map(async ({ count, signers }) =>
        Math.min(await countApprovals(context, plan, files, signers), count),
      ),
    );
    const required = sum(rules.map(({ count }) => count));
    found.push({ file, plan, approvals: sum(counted), required });
  }
  return found.toSorted((a, b) => (a.plan.createdAt < b.plan.createdAt ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Reads a plan; undefined for another file, and for a plan that cannot be applied anymore. */
async function readWaitingPlan(context: Context, file: string): Promise<AnyPlan | undefined> {
  const { cwd, signal, clock } = context;
  if (!(await startsLikePlan(join(cwd, file)))) return undefined;
  try {
    const text = (await readNamedFile(file, cwd, { signal, onlyRegular: true })).toString();
    const plan = await parsePlanFile(text, file);
    if (isExpired(plan, clock.now()) || !hasAnyWrites(plan)) return undefined;
    if (await isUsed(plan, file, cwd)) return undefined;
    const wasApplied = await Ledger.use(context, (ledger) => ledger.wasApplied(plan.sha256));
    return wasApplied ? undefined : plan;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    return undefined;
  }
}

/** Whether the first characters of a file are those of a plan, so that large files are not parsed. */
async function startsLikePlan(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile() && /^\s*\{\s*"svc"\s*:/.test(readHead(path));
  } catch {
    return false;
  }
}
