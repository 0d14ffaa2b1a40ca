import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';

interface Refused {
  /** For callers over HTTP, who neither know the store nor can repair it. */
  readonly refusal: Refusal;
  /** For the process that uses the store. */
  readonly hint: string;
  readonly cause: unknown;
}

/** A store that cannot be used: damaged, on a full disk, or on a disk that fails. */
export class StoreFailure extends SvcError {
  readonly refusal: Refusal;

  constructor(message: string, { refusal, hint, cause }: Refused) {
    super('local', message, { hint, cause });
    this.refusal = refusal;
  }
}

/** Nothing was written, and the same call succeeds once there is space: HTTP callers wait, as for any exhausted resource. */
export function diskFull(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the disk is full: the store ${name} cannot be written: ${messageOf(cause)}`, {
    refusal: new Refusal('RESOURCE_EXHAUSTED', 'The disk of the store is full.'),
    hint: 'free some space, and run the command again',
    cause,
  });
}

/** HTTP callers do not retry: no retry helps. */
export function damaged(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the store ${name} is damaged: ${messageOf(cause)}`, {
    refusal: new Refusal('DATA_LOSS', 'The store is damaged.'),
    hint: 'restore it from a copy or from an export, or choose another store with --store',
    cause,
  });
}
