import { EVENT_TYPES } from '../../catalog/events.ts';
import type { Choice } from '../asker.ts';

/** Event types as choices, in the order of the catalog; those that it does not know come last. */
export function eventChoices(names: readonly string[]): readonly Choice[] {
  const known = EVENT_TYPES.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => !EVENT_TYPES.some((event) => event.name === name));
  return [
    ...known.map(({ name, describes, group }) => ({ value: name, describes, group })),
    ...unknown.map((value) => ({ value, group: 'unknown' })),
  ];
}
