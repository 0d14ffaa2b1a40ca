import type { Operation } from './define.ts';

/** Whether an operation only reads, and returns nothing that grants access. */
export function isHarmless({
  effect,
  issuesCredential,
  revealsSecrets,
}: Pick<Operation, 'effect' | 'issuesCredential' | 'revealsSecrets'>): boolean {
  return effect === 'read' && !issuesCredential && !revealsSecrets;
}
