import type { Clock } from '../../kernel/clock.ts';

/** Those who do the same work on one store, in any number of processes and machines. */
export interface Peers {
  /** Tells all others that there is something to do. Whoever is not reached finds it at the next look. */
  tell(): Promise<void>;
  /** Comes among them; resolves once it is known whether one hears the others, who may come within reach later too. */
  join(clock: Clock, listener: PeerListener): Promise<Membership>;
}

export interface PeerListener {
  /** Another one has told, or might have while one heard nothing. */
  readonly told: () => void;
  /** One of them has gone without a word: its process has ended. */
  readonly gone: () => void;
}

export interface Membership {
  /** Whom the others know this one by. */
  readonly name: string;
  /** Whether what others tell is heard right now. */
  readonly hears: boolean;
  /** Whether a name is that of one who had joined, and is there no more. */
  hasGone(name: string): boolean;
  leave(): Promise<void>;
}
