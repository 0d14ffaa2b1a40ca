import type { InputFormat } from '../../catalog/bulk-options.ts';
import { canSaveWrite } from '../../catalog/harmless.ts';
import type { OperationName } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/json.ts';
import type { PlanTarget } from '../plan.ts';
import {
  checkSavedPlan,
  checkShape,
  digestOf,
  hasWrites,
  parseUnedited,
  type SavedPlan,
} from './saved-plan.ts';

/** The plan of a single write or of an import, with everything that it sends. */
export interface SavedWrite {
  readonly svc: 1;
  readonly createdAt: string;
  readonly profile: string | null;
  readonly target: PlanTarget;
  readonly write: PlannedCalls | PlannedRecords;
  /** Words of the command that saved the plan, for messages. Empty if an agent called a tool. */
  readonly command: readonly string[];
  /** SHA-256 of all other fields as canonical JSON. */
  readonly sha256: string;
}

/** A request for each input. */
export interface PlannedCalls {
  readonly operation: OperationName;
  readonly inputs: readonly Fields[];
}

/** Records to send as a job: from flags or `--data`, or from files. */
export interface PlannedRecords {
  readonly operation: OperationName;
  /** Fields that the records share. */
  readonly data: Fields;
  /** Whether records may name other organizations than the one in `data`. */
  readonly hasDefaultOrganization: boolean;
  /** Options of the job, as in its journal. */
  readonly options: Fields;
  /** Records that do not come from files. */
  readonly records?: readonly unknown[];
  readonly files: readonly PlannedInput[];
  readonly total: number;
  readonly requests: number;
  readonly organizations?: readonly {
    readonly id: string;
    readonly total: number;
    readonly new: boolean;
  }[];
}

/** An input file, which is copied so that exactly its bytes are sent. */
export interface PlannedInput {
  readonly name: string;
  /** Absolute path of the file; null for a pipe. */
  readonly path: string | null;
  /** Name of the copy, which is in the folder of the plan. */
  readonly copy: string;
  readonly format: InputFormat;
  readonly bytes: number;
  readonly sha256: string;
}

export function createSavedWrite(
  content: Omit<SavedWrite, 'svc' | 'createdAt' | 'sha256'>,
  now: number,
): SavedWrite {
  const { profile, target, write, command } = content;
  const saved = {
    svc: 1 as const,
    createdAt: new Date(now).toISOString(),
    profile,
    target,
    write,
    command,
  };
  return { ...saved, sha256: digestOf(saved) };
}

/** A saved plan of either kind. */
export type AnyPlan = SavedPlan | SavedWrite;

/** Whether applying a plan would write anything. */
export function hasAnyWrites(plan: AnyPlan): boolean {
  return isSavedWrite(plan) || hasWrites(plan);
}

export function isSavedWrite(plan: AnyPlan): plan is SavedWrite {
  return 'write' in plan;
}

/**
 * Parses a saved plan: of settings, or of a write.
 * @throws SvcError `invalid_input` if the text is not a plan, or was edited
 */
export async function parsePlanFile(text: string, name: string): Promise<AnyPlan> {
  const content = parseUnedited(text, name);
  if (!('write' in content)) return checkSavedPlan(content, name);
  const { savedWriteSchema } = await import('./saved-write-schema.ts');
  const saved = await checkShape<SavedWrite>(savedWriteSchema, content, name);
  const { operation } = saved.write;
  const entry = manifest.find((each) => each.name === operation);
  if (entry && canSaveWrite(entry)) return saved;
  const problem = `this version of svc has no write ${operation}`;
  throw new SvcError('invalid_input', `${name} is not a saved plan: ${problem}`);
}
