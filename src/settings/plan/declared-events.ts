import type { InputProblem } from '../../catalog/define.ts';
import { EVENT_NAMES, findMisspelledEvent } from '../../catalog/events.ts';
import { isObject } from '../../kernel/json.ts';
import { CONFIG_NAMES, CONFIGS } from '../kinds.ts';
import type { LiveRecord, LiveRecords } from '../live-records.ts';
import type { Declared } from '../settings.ts';

/** An event type in a settings file, and its path. */
interface DeclaredEvent {
  readonly name: string;
  readonly path: readonly PropertyKey[];
}

/**
 * Finds misspelled event types. A type that the service already has is correct, whatever svc knows.
 */
export function findMisspelledEvents(
  declared: Declared,
  live: LiveRecords,
): readonly InputProblem[] {
  const known = new Set(liveEventsOf(live));
  return unknownEventsOf(declared).flatMap(({ name, path }) => {
    const meant = known.has(name) ? undefined : findMisspelledEvent(name);
    if (meant === undefined) return [];
    return [{ path, message: `unknown event type '${name}'; did you mean '${meant}'?` }];
  });
}

/** Finds event types that are not known, and are not like a known one. The set is open. */
export function findNewEvents(declared: Declared): readonly InputProblem[] {
  return unknownEventsOf(declared)
    .filter(({ name }) => findMisspelledEvent(name) === undefined)
    .map(({ name, path }) => ({ path, message: `'${name}' is not a known event type` }));
}

function unknownEventsOf({ endpoints = [], config = {} }: Declared): readonly DeclaredEvent[] {
  const filtered = endpoints.flatMap(({ filterTypes }, index) =>
    textsOf(filterTypes).map((name, at) => ({
      name,
      path: ['endpoints', index, 'filterTypes', at],
    })),
  );
  const triggered = CONFIG_NAMES.flatMap((service) => {
    const { nested } = CONFIGS[service];
    return triggersOf(config[service], nested).map((name) => ({
      name,
      path: ['config', service, ...(nested === undefined ? [] : [nested]), 'triggers', name],
    }));
  });
  return [...filtered, ...triggered].filter(({ name }) => !EVENT_NAMES.includes(name));
}

function liveEventsOf({ endpoints, configs }: LiveRecords): readonly string[] {
  const filtered = (endpoints?.records ?? []).flatMap(({ filterTypes }) => textsOf(filterTypes));
  const triggered = [...configs].flatMap(([name, { records }]) =>
    triggersOf(records, CONFIGS[name].nested),
  );
  return [...filtered, ...triggered];
}

function triggersOf(record: LiveRecord | undefined, nested: string | undefined) {
  const settings = nested === undefined ? record : record?.[nested];
  const triggers = isObject(settings) ? settings['triggers'] : undefined;
  return isObject(triggers) ? Object.keys(triggers) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
