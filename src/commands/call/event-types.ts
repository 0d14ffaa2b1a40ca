import { EVENT_NAMES, findMisspelledEvent, warnAboutUnknownEvents } from '../../catalog/events.ts';
import { SvcError } from '../../kernel/errors.ts';
import { matchesPattern } from '../../webhooks/routes.ts';
import type { Context } from '../context.ts';
import type { OptionsOf } from '../definition.ts';
import { canAsk } from '../terminal/terminal.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG } from './call-flags.ts';

/**
 * Checks event types and patterns with `*` before a request. The set is open: an unknown type is
 * only a warning, and a question on a terminal, unless it is a misspelled known one. With
 * `--allow-unknown-event`, that is a warning too.
 * @param failure kind of the error: `usage` for input from flags, `invalid_input` for input from
 * `--data`
 * @throws SvcError for misspelled event types, with the first known type that is meant; `usage` if
 * the user does not confirm an unknown one
 */
export async function checkEventTypes(
  context: Context,
  given: readonly string[],
  { allowUnknownEvent = false }: OptionsOf<readonly [typeof ALLOW_UNKNOWN_EVENT_FLAG]>,
  failure: 'usage' | 'invalid_input' = 'usage',
): Promise<void> {
  const unknown = findUnknownEvents(given);
  const misspelled = allowUnknownEvent
    ? []
    : unknown.flatMap((type) => {
        const meant = findMisspelledEvent(type);
        return meant === undefined ? [] : [{ type, meant }];
      });
  const [first] = misspelled;
  if (first) {
    const quoted = misspelled.map(({ type }) => `'${type}'`).join(', ');
    const { flags } = ALLOW_UNKNOWN_EVENT_FLAG;
    throw new SvcError(failure, `unknown event type${misspelled.length > 1 ? 's' : ''} ${quoted}`, {
      hint:
        context.inputNaming === 'fields'
          ? `did you mean '${first.meant}'?`
          : `did you mean '${first.meant}'? ${flags} accepts unknown event types`,
    });
  }
  const { dryRun, yes } = context.options;
  if (allowUnknownEvent || dryRun || yes || !canAsk(context)) {
    for (const warning of warnAboutUnknownEvents(unknown)) await context.warn(warning);
    return;
  }
  if (!(await confirmUnknownEvents(context, unknown)))
    throw new SvcError('usage', 'not confirmed; nothing was sent');
}

/** Asks whether to use unknown event types. Returns `true` if all types are known. */
export async function confirmUnknownEvents(
  context: Context,
  given: readonly string[],
): Promise<boolean> {
  const unknown = findUnknownEvents(given);
  if (unknown.length === 0) return true;
  const quoted = unknown.map((type) => `'${type}'`).join(', ');
  const question =
    unknown.length === 1
      ? `${quoted} is not a known event type. Use it anyway?`
      : `${quoted} are not known event types. Use them anyway?`;
  return (await context.prompter()).confirm(question, false);
}

function findUnknownEvents(given: readonly string[]): readonly string[] {
  return [...new Set(given)].filter(
    (type) => !EVENT_NAMES.some((known) => matchesPattern(known, type)),
  );
}
