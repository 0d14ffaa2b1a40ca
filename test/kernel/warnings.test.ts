import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutExperimentalWarning } from '../../src/kernel/process.ts';

/** Collects the warnings that this process emits while `run` runs. */
async function warningsOf(run: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const listen = (warning: Error) => seen.push(`${warning.name}: ${warning.message}`);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  await run();
  await new Promise((resolve) => setImmediate(resolve));
  return seen;
}

describe('withoutExperimentalWarning', () => {
  it('suppresses only the given warning, and only while loading', async () => {
    const warn = () => {
      process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
      process.emitWarning('Glob is an experimental feature', 'ExperimentalWarning');
      process.emitWarning('SQLite is old', 'DeprecationWarning');
    };
    const others = [
      'ExperimentalWarning: Glob is an experimental feature',
      'DeprecationWarning: SQLite is old',
    ];
    expect(
      await warningsOf(() => withoutExperimentalWarning('SQLite', async () => warn())),
    ).toEqual(others);
    expect(await warningsOf(async () => warn())).toHaveLength(3);
  });

  it('shows warnings again after calls that overlap', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls = [first, second].map(({ promise }) =>
      withoutExperimentalWarning('SQLite', () => promise),
    );
    const warn = () =>
      process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
    expect(await warningsOf(async () => warn())).toEqual([]);
    first.resolve();
    await calls[0];
    expect(await warningsOf(async () => warn())).toEqual([]);
    second.resolve();
    await calls[1];
    expect(await warningsOf(async () => warn())).toHaveLength(1);
  });

  it('returns the loaded value, or throws the error', async () => {
    expect(await withoutExperimentalWarning('X', async () => 7)).toBe(7);
    await expect(
      withoutExperimentalWarning('X', () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
  });
});
