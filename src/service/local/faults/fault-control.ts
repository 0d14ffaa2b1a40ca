import { randomUUID } from 'node:crypto';
import type { FaultFile } from '../../../catalog/fault-rules.ts';
import { type FaultProblem, parseFaultFile } from '../../../catalog/faults.ts';
import { SvcError } from '../../../kernel/errors.ts';
import { formatFieldPath } from '../../../kernel/field-path.ts';
import type { AdminHandlers } from '../handler.ts';
import type { DevelopmentState } from '../state.ts';

/** The rules of a store. Request counts start at zero for each generation of rules. */
export interface StoredFaults extends FaultFile {
  readonly generation: string;
}

const NO_FAULTS: FaultFile = { seed: 1, faults: [] };

export async function listFaults(state: DevelopmentState): Promise<FaultFile> {
  return describeFaults((await state.current()).faults);
}

/** Replaces all rules. @throws SvcError `invalid_input` for an invalid file */
export async function setFaults(state: DevelopmentState, file: unknown): Promise<FaultFile> {
  const checked = checkFaultFile(file);
  return describeFaults(
    (await state.change('faults', () => ({ ...checked, generation: randomUUID() }))).faults,
  );
}

/**
 * Adds a rule after the existing rules, which keep their counts.
 * @throws SvcError `invalid_input` for an invalid rule
 */
export async function addFault(state: DevelopmentState, rule: unknown): Promise<FaultFile> {
  checkFaultFile({ faults: [rule] }, true);
  const changed = await state.change('faults', (value) => {
    const stored = (value as StoredFaults | undefined) ?? {
      ...NO_FAULTS,
      generation: randomUUID(),
    };
    const { faults } = checkFaultFile({ faults: [rule] }, true, stored.faults.length);
    return { ...stored, faults: [...stored.faults, ...faults] };
  });
  return describeFaults(changed.faults);
}

export async function clearFaults(state: DevelopmentState): Promise<FaultFile> {
  return describeFaults((await state.change('faults', () => undefined)).faults);
}

export interface FaultContext {
  readonly development: DevelopmentState;
}

export const faults: AdminHandlers<'faults', FaultContext> = {
  'local.faults.add': ({ development }, { add }) => addFault(development, add),
  'local.faults.list': ({ development }) => listFaults(development),
  'local.faults.clear': ({ development }) => clearFaults(development),
  'local.faults.set': ({ development }, file) => setFaults(development, file),
};

function describeFaults(value: unknown): FaultFile {
  const { seed, faults } = (value as StoredFaults | undefined) ?? NO_FAULTS;
  return { seed, faults };
}

/**
 * Validates a fault file.
 * @param isRule whether the user provided only a rule, so that positions omit the file around it
 * @throws SvcError `invalid_input` for the first problem
 */
export function checkFaultFile(file: unknown, isRule = false, existing?: number): FaultFile {
  const parsed = parseFaultFile(file, existing);
  if ('faults' in parsed) return parsed;
  const [{ path, message }] = parsed as readonly [FaultProblem];
  const field = formatFieldPath(isRule ? path.slice(2) : path);
  throw new SvcError('invalid_input', `${field && `${field}: `}${message}`);
}
