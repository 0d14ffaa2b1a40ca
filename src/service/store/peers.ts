import type { Clock } from '../../kernel/clock.ts';

/** Communication between the processes that use one store, on any number of machines. */
export interface Peers {
  /** Notifies all peers that there is work. Peers that miss the notification find the work when they poll. */
  notify(): Promise<void>;
  /** Joins the peers. Resolves once it is known whether notifications arrive; that may change later. */
  join(clock: Clock, listener: PeerListener): Promise<Membership>;
}

export interface PeerListener {
  /** A peer has sent a notification, or may have sent one while this process could not receive it. */
  readonly onNotified: () => void;
  /** A peer has disappeared without leaving, because its process has died. */
  readonly onPeerLost: () => void;
}

export interface Membership {
  /** The name of this member among its peers. */
  readonly name: string;
  /** Whether notifications of peers arrive at the moment. */
  readonly isReceiving: boolean;
  /** Whether the member with this name has joined before and has disappeared. */
  hasDisappeared(name: string): boolean;
  leave(): Promise<void>;
}
