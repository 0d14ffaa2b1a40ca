import { EVENT_NAMES, findNearestEvent, warnAboutUnknownEvents } from '../../catalog/events.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { matchesPattern } from '../../webhooks/routes.ts';
import type { Context } from '../context.ts';
import type { OptionsOf } from '../definition.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG } from './call-flags.ts';

/**
 * Checks event types and patterns with `*` before a request. With `--allow-unknown-event`, unknown
 * types are only warnings.
 * @param failure kind of the error: `usage` for input from flags, `invalid_input` for input from
 * `--data`
 * @throws SvcError for unknown event types, with the nearest known type
 */
export async function checkEventTypes(
  context: Pick<Context, 'warn'>,
  given: readonly string[],
  { allowUnknownEvent }: OptionsOf<readonly [typeof ALLOW_UNKNOWN_EVENT_FLAG]>,
  failure: 'usage' | 'invalid_input' = 'usage',
): Promise<void> {
  const unknown = [...new Set(given)].filter(
    (type) => !EVENT_NAMES.some((known) => matchesPattern(known, type)),
  );
  const [first] = unknown;
  if (first === undefined) return;
  if (allowUnknownEvent === true) {
    for (const warning of warnAboutUnknownEvents(unknown)) await context.warn(warning);
    return;
  }
  const quoted = unknown.map((type) => `'${type}'`).join(', ');
  const { flags } = ALLOW_UNKNOWN_EVENT_FLAG;
  const nearest = findNearestEvent(first);
  throw new SvcError(failure, `unknown event type${unknown.length > 1 ? 's' : ''} ${quoted}`, {
    hint:
      nearest === undefined
        ? hint`${step('inspect', 'webhooks', 'events')} lists the known event types; ${flags} accepts others`
        : `did you mean '${nearest}'? ${flags} accepts unknown event types`,
  });
}
