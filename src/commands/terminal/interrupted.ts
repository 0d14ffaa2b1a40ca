import { SvcError } from '../../kernel/errors.ts';

/** Creates the error for Ctrl-C at a prompt or the end of the input. */
export function interruptedError(cause?: unknown): SvcError {
  return new SvcError('interrupted', 'canceled at a prompt; nothing was written', { cause });
}
