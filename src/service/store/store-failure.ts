import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';

interface StoreFailureDetails {
  /** The response for HTTP callers, who can neither see nor repair the store. */
  readonly refusal: Refusal;
  /** The hint for the process that uses the store. */
  readonly hint: string;
  readonly cause: unknown;
}

/** The error of a store that is damaged, or whose disk is full or fails. */
export class StoreFailure extends SvcError {
  readonly refusal: Refusal;

  constructor(message: string, { refusal, hint, cause }: StoreFailureDetails) {
    super('local', message, { hint, cause });
    this.refusal = refusal;
  }
}

/** Creates the failure for a full disk. Nothing was written, so HTTP callers can wait and retry. */
export function diskFullFailure(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the disk is full: the store ${name} cannot be written: ${messageOf(cause)}`, {
    refusal: new Refusal('RESOURCE_EXHAUSTED', 'The disk of the store is full.'),
    hint: 'free some space, and try again',
    cause,
  });
}

/** Creates the failure for a damaged store. The status tells HTTP callers not to retry. */
export function damagedFailure(name: string, cause: unknown): StoreFailure {
  return new StoreFailure(`the store ${name} is damaged: ${messageOf(cause)}`, {
    refusal: new Refusal('DATA_LOSS', 'The store is damaged.'),
    hint: 'restore it from a copy or from an export, or choose another store with --store',
    cause,
  });
}
