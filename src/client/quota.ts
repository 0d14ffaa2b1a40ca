const RETRY_ADVICE = /\b(?:try again|retry|wait)\b[^.]*/gi;
const RATE =
  /\brate[ -]?limit|\btoo many requests\b|\bthrottl|\bper (?:second|minute)\b|\/ ?(?:s|sec|second|min|minute)\b/i;
const MAXIMUM = /\b(?:maximum|max|at most|no more than|up to|limit|limited|quota)\b[^.]*?\d/i;

/**
 * Whether the message of a RESOURCE_EXHAUSTED response states a maximum (`at most 30 documents`). Waiting does not help
 * against such a quota. Request rates and retry times do not count.
 */
export function mentionsQuota(message: string): boolean {
  const stated = message.replace(RETRY_ADVICE, '');
  return MAXIMUM.test(stated) && !RATE.test(stated);
}
