import type { Operation } from './define.ts';

/** Whether a plan can contain an operation: it writes, and its result contains no secret. */
export function canSaveWrite({
  effect,
  revealsSecrets,
}: Pick<Operation, 'effect' | 'revealsSecrets'>): boolean {
  return effect !== 'read' && !revealsSecrets;
}

/** Whether an operation only reads, and returns nothing that grants access. */
export function isHarmless({
  effect,
  issuesCredential,
  revealsSecrets,
}: Pick<Operation, 'effect' | 'issuesCredential' | 'revealsSecrets'>): boolean {
  return effect === 'read' && !issuesCredential && !revealsSecrets;
}
