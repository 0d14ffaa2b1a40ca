import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from './refusal.ts';

/** The error of a damaged store, or of a disk that is full or fails. */
export class StoreFailure extends SvcError {
  readonly refusal: Refusal;

  /**
   * @param refusal response to HTTP callers, who cannot access the store. The hint is for users of
   * the process.
   */
  constructor(message: string, refusal: Refusal, hint: string, cause: unknown) {
    super('local', message, { hint, cause });
    this.refusal = refusal;
  }
}

export function diskFullFailure(name: string, cause: unknown): StoreFailure {
  const refusal = new Refusal('RESOURCE_EXHAUSTED', 'The disk of the store is full.');
  const message = `the disk is full: the store ${name} cannot be written: ${messageOf(cause)}`;
  return new StoreFailure(message, refusal, 'free some space, and try again', cause);
}

export function damagedFailure(name: string, cause: unknown): StoreFailure {
  const refusal = new Refusal('DATA_LOSS', 'The store is damaged.');
  const hint = 'restore it from a copy or from an export, or choose another store with --store';
  return new StoreFailure(
    `the store ${name} is damaged: ${messageOf(cause)}`,
    refusal,
    hint,
    cause,
  );
}
