import { expect, test } from 'vitest';
import { createErrorReporter } from '../../../src/commands/terminal/error-reporter.ts';
import { Refusal } from '../../../src/service/store/refusal.ts';
import { fakeClock } from '../../client/client-fixture.ts';

test('errors of the store pause deliveries, and only other errors are internal', () => {
  const warnings: string[] = [];
  const warn = async (text: string) => void warnings.push(text);
  const report = createErrorReporter({ warn: warn as never, clock: fakeClock() });
  const cause = new Error('cannot execute UPDATE in a read-only transaction');
  report(Object.assign(new Refusal('FAILED_PRECONDITION', 'The store is read-only.'), { cause }));
  report(new Refusal('UNAVAILABLE', 'The store is busy.'));
  report(new TypeError('x'));
  expect(warnings).toEqual([
    'The store is read-only. Deliveries are paused: cannot execute UPDATE in a read-only transaction',
    'The store is busy. Deliveries are paused',
    'internal error: TypeError: x',
  ]);
});
