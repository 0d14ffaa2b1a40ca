import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';

/** The hint is for users of the process. HTTP callers, who cannot access the store, receive the refusal. */
interface StoreFailureDetails {
  readonly refusal: Refusal;
  readonly hint: string;
  readonly cause: unknown;
}

/** The error of a damaged store, or of a disk that is full or fails. */
export class StoreFailure extends SvcError {
  readonly refusal: Refusal;

  constructor(message: string, { refusal, hint, cause }: StoreFailureDetails) {
    super('local', message, { hint, cause });
    this.refusal = refusal;
  }
}

/** Creates the failure for a full disk. HTTP callers may retry, because nothing was written. */
export function diskFullFailure(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the disk is full: the store ${name} cannot be written: ${messageOf(cause)}`, {
    refusal: new Refusal('RESOURCE_EXHAUSTED', 'The disk of the store is full.'),
    hint: 'free some space, and try again',
    cause,
  });
}

/** Creates the failure for a damaged store. HTTP callers must not retry. */
export function damagedFailure(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the store ${name} is damaged: ${messageOf(cause)}`, {
    refusal: new Refusal('DATA_LOSS', 'The store is damaged.'),
    hint: 'restore it from a copy or from an export, or choose another store with --store',
    cause,
  });
}
