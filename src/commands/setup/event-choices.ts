import { EVENT_TYPES } from '../../catalog/events.ts';
import type { Choice } from '../prompter.ts';

/** Creates choices for event types in catalog order. Unknown types come last. */
export function eventChoices(names: readonly string[]): readonly Choice[] {
  const known = EVENT_TYPES.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => !EVENT_TYPES.some((event) => event.name === name));
  return [
    ...known.map(({ name, description, group }) => ({ value: name, description, group })),
    ...unknown.map((value) => ({ value, group: 'unknown' })),
  ];
}
