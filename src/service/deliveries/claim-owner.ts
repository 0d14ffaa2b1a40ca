import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { isProcessRunning, processId } from '../../kernel/process.ts';
import type { Member } from '../store/postgres-peers.ts';
import type { Database, Store } from '../store/store.ts';
import { releaseClaims, selectClaimOwners } from './claim.ts';

const activeNames = new Set<string>();

/**
 * The name under which an engine claims deliveries. Releases the claims of owners that have ended.
 * Other claims expire.
 */
export class ClaimOwner {
  readonly #store: Store;
  /** The random suffix is needed because process IDs are reused. */
  #name = `${processId}:${randomBytes(8).toString('hex')}`;
  #membership: Member | undefined;

  constructor(store: Store) {
    this.#store = store;
    activeNames.add(this.#name);
  }

  get name(): string {
    return this.#name;
  }

  /** Whether peers announce new work. */
  get isNotified(): boolean {
    return this.#membership?.isReceiving ?? false;
  }

  /**
   * Uses the name of a peer, if the store has peers, so that they can release the claims of a lost
   * process.
   */
  async join(clock: Clock, wake: () => void): Promise<void> {
    this.#membership = await this.#store.peers?.join(clock, wake);
    if (!this.#membership?.isReceiving) return;
    this.retire();
    this.#name = this.#membership.name;
  }

  /**
   * Whether another engine has attempts in flight. Releases the claims of engines that have ended.
   * @param newest key of the last delivery to consider
   */
  async isPeerDelivering(now: () => number, newest: number): Promise<boolean> {
    const owners = await this.#store.read((database) => selectClaimOwners(database, newest));
    if (owners.every((owner) => owner === this.#name)) return false;
    await this.releaseOrphanedClaims(now);
    return true;
  }

  async releaseOrphanedClaims(now: () => number): Promise<void> {
    await this.#store.writeRelaxed((database) => this.releaseOrphanedClaimsIn(database, now()));
  }

  /** Releases the claims of peers that have ended without doing so. */
  async releaseLostClaims(now: () => number): Promise<void> {
    const member = this.#membership;
    if (!member || !(await this.#store.read((database) => member.hasLostPeer(database)))) return;
    await this.releaseOrphanedClaims(now);
  }

  async releaseOrphanedClaimsIn(database: Database, now: number): Promise<void> {
    const owners = await selectClaimOwners(database);
    const ended = this.#store.peers
      ? await this.#membership?.selectDisappeared(owners, database)
      : owners.filter(hasEnded);
    for (const owner of ended ?? []) await releaseClaims(database, owner, now);
  }

  /** Lets other engines of this process release the claims. */
  retire(): void {
    activeNames.delete(this.#name);
  }

  async leave(): Promise<void> {
    await this.#membership?.leave();
  }
}

/** Whether an owner on this machine has ended and has no attempts in flight. */
function hasEnded(owner: string): boolean {
  const id = Number.parseInt(owner, 10);
  return id === processId ? !activeNames.has(owner) : !isProcessRunning(id);
}
