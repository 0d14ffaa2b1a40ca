import { SvcError } from '../../kernel/errors.ts';

/** Ctrl-C at a question, or the end of the input. */
export function interrupted(cause?: unknown): SvcError {
  return new SvcError('interrupted', 'stopped at the question; nothing was written', { cause });
}
