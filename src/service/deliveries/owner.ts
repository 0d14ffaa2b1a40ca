import { randomBytes } from 'node:crypto';
import { isProcessRunning, processId } from '../../kernel/process.ts';

const activeOwners = new Set<string>();

/** Creates a unique owner of claims. The random suffix is needed because process IDs are reused. */
export function createOwner(): string {
  const owner = `${processId}:${randomBytes(8).toString('hex')}`;
  activeOwners.add(owner);
  return owner;
}

export function retireOwner(owner: string): void {
  activeOwners.delete(owner);
}

/** Whether an owner on this machine has ended and has no attempts in flight. */
export function hasOwnerEnded(owner: string): boolean {
  const id = Number.parseInt(owner, 10);
  return id === processId ? !activeOwners.has(owner) : !isProcessRunning(id);
}
