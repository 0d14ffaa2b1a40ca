import type { Clock } from '../../kernel/clock.ts';

/** Communication between the processes that use a store, on any machines. */
export interface Peers {
  /** Notifies peers about new work. Peers that miss the notification find the work by polling. */
  notify(): Promise<void>;
  /** Returns the number of processes that deliver from the store. */
  count(): Promise<number>;
  /** Joins the peers. Resolves after the first check of whether notifications arrive. */
  join(clock: Clock, listener: PeerListener): Promise<Membership>;
}

export interface PeerListener {
  /** Called after a notification of a peer, and after an interruption in which one may have been missed. */
  readonly onNotified: () => void;
  /** Called when a peer disappears without leaving. */
  readonly onPeerLost: () => void;
}

export interface Membership {
  readonly name: string;
  /** Whether notifications currently arrive. */
  readonly isReceiving: boolean;
  /** Whether the member with this name has disappeared. */
  hasDisappeared(name: string): boolean;
  leave(): Promise<void>;
}
