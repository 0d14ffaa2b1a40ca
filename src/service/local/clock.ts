import { type Clock, monotonicNow } from '../../kernel/clock.ts';
import type { ServiceTime } from '../deliveries/engine.ts';
import type { DevelopmentState } from './state.ts';

/**
 * Setting of the service's clock: `offset` milliseconds ahead of real time, or frozen at a time.
 */
export type ClockSetting = { readonly offset: number } | { readonly frozenAt: number };

export interface ServiceClock extends Clock, ServiceTime {}

export function readSetting(value: unknown): ClockSetting {
  return (value as ClockSetting | undefined) ?? { offset: 0 };
}

export function convertTime(setting: ClockSetting, realTime: number): number {
  return 'frozenAt' in setting ? setting.frozenAt : realTime + setting.offset;
}

/**
 * Creates the clock of a service, which uses the setting as `development` last read it. Durations
 * are in real time.
 */
export function createServiceClock(clock: Clock, development: DevelopmentState): ServiceClock {
  const convert = (realTime: number) => convertTime(readSetting(development.known.clock), realTime);
  return {
    convert,
    refresh: development.refresh,
    now: () => convert(clock.now()),
    monotonic: () => monotonicNow(clock),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
  };
}
