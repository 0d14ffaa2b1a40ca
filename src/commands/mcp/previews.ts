import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatCanonicalJson } from '../../kernel/json.ts';
import type { ToolInput } from './tools.ts';

/** A write that was shown, and may be sent once. */
export interface Preview {
  readonly operation: string;
  /** Hash of the input as the host sent it. */
  readonly given: string;
  /** The input with generated IDs, which are part of the request that was shown. */
  readonly input: ToolInput;
  /** Hash of the requests that were shown. */
  readonly requests: string;
}

/** Time in which a preview can be sent, in milliseconds. */
const LIFETIME = 10 * 60_000;
const MAX_PREVIEWS = 1_000;

export interface Previews {
  /** Returns the token of a preview. */
  readonly add: (preview: Preview) => string;
  /**
   * Returns the preview of a token, which stays valid until `take`.
   * @throws SvcError `approval_required` unless the token belongs to exactly this call
   */
  readonly find: (token: string, operation: string, input: ToolInput) => Preview;
  /** Invalidates a token. Returns whether it was valid. */
  readonly take: (token: string) => boolean;
}

/** Creates the previews of one session. Tokens of other sessions are unknown to it. */
export function createPreviews(clock: Pick<Clock, 'now'>): Previews {
  const previews = new Map<string, Preview & { readonly expires: number }>();
  return {
    add(preview) {
      const token = randomBytes(16).toString('hex');
      previews.set(token, { ...preview, expires: clock.now() + LIFETIME });
      const [oldest] = previews.keys();
      if (previews.size > MAX_PREVIEWS && oldest !== undefined) previews.delete(oldest);
      return token;
    },
    find(token, operation, input) {
      const preview = previews.get(token);
      if (!preview) throw createTokenError('the token is unknown, or was used before');
      if (clock.now() >= preview.expires) {
        previews.delete(token);
        throw createTokenError('the token has expired');
      }
      if (preview.operation === operation && preview.given === hashOf(input)) return preview;
      previews.delete(token);
      throw createTokenError('the token belongs to another request');
    },
    take: (token) => previews.delete(token),
  };
}

export function createTokenError(problem: string): SvcError {
  return new SvcError('approval_required', `${problem}; nothing was sent`, {
    hint: 'call write without a token to preview this request',
  });
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(formatCanonicalJson(value)).digest('hex');
}
