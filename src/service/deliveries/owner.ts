import { randomBytes } from 'node:crypto';
import { isRunning, processId } from '../../kernel/io.ts';

/** Those of this process that claim deliveries. */
const active = new Set<string>();

/** A name for one who claims deliveries: its process, and what tells it from others with the same number. */
export function newOwner(): string {
  const owner = `${processId}:${randomBytes(8).toString('hex')}`;
  active.add(owner);
  return owner;
}

export function retire(owner: string): void {
  active.delete(owner);
}

/** Whether an owner can have nothing under way any more. */
export function isGone(owner: string): boolean {
  const id = Number.parseInt(owner, 10);
  return id === processId ? !active.has(owner) : !isRunning(id);
}
