const WHEN_TO_RETRY = /\b(?:try again|retry|wait)\b[^.]*/gi;
const RATE =
  /\brate[ -]?limit|\btoo many requests\b|\bthrottl|\bper (?:second|minute)\b|\/ ?(?:s|sec|second|min|minute)\b/i;
const MAXIMUM = /\b(?:maximum|max|at most|no more than|up to|limit|limited|quota)\b[^.]*?\d/i;

/**
 * Whether the message of a RESOURCE_EXHAUSTED answer names a maximum number (`at most 30 documents`): a quota, which no
 * waiting lifts. How many requests go in a minute, and when to try again, are no such number.
 */
export function namesMaximum(message: string): boolean {
  const stated = message.replace(WHEN_TO_RETRY, '');
  return MAXIMUM.test(stated) && !RATE.test(stated);
}
