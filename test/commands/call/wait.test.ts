import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import type { migrations } from '../../../src/catalog/migrations.ts';
import { runOperation } from '../../../src/commands/run/run-operation.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { failure, success } from '../../client/client-fixture.ts';
import { type ToolWorld, toolContext } from '../tools/world.ts';

const started = success({ migrationId: 'm1' });
const state = (status: string) => success({ migrationId: 'm1', status });

type Steps = Parameters<typeof toolContext>[0];

/** Runs a command with `--wait`, and catches what it throws. */
async function waited(name: keyof typeof migrations, steps: Steps, world: ToolWorld = {}) {
  const tool = await toolContext(steps, {
    ...world,
    options: { yes: true, output: 'json', ...world.options },
  });
  const entry = manifest.find((known) => known.name === name) ?? expect.fail();
  const given = { org: 'acme', document: 'd1', newDocument: 'd 2', migration: 'm1', wait: true };
  const flags = new Set(entry.flags.map((flag) => flag.name));
  const options = Object.fromEntries(
    Object.entries(given).filter(([key]) => key === 'wait' || flags.has(key.replace('D', '-d'))),
  );
  const thrown = await runOperation(tool.context, [entry], { arguments: [], options }).catch(
    (error: unknown) => error,
  );
  return { ...tool, thrown: thrown as SvcError | undefined };
}

describe('--wait', () => {
  it('polls at growing intervals until a final state, and prints it', async () => {
    const steps = [
      started,
      ...Array.from({ length: 11 }, () => state('in_progress')),
      state('completed'),
    ];
    const { context, clock, requests, bodies, thrown } = await waited('documents.migrate', steps);
    expect(thrown).toBeUndefined();
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v2/organizations/documents/migrate',
      ...Array.from({ length: 12 }, () => '/v2/organizations/documents/migrate/status'),
    ]);
    expect((await bodies()).at(-1)).toEqual({
      data: { organizationId: 'acme', migrationId: 'm1' },
    });
    expect(clock.slept).toEqual(clock.slept.toSorted((a, b) => a - b));
    expect([clock.slept[0], clock.slept[1], clock.slept.at(-1)]).toEqual([500, 750, 10_000]);
    expect(JSON.parse(context.stdout())).toEqual({ migrationId: 'm1', status: 'completed' });
  });

  it('does not wait if the service reports no state', async () => {
    const { thrown } = await waited('documents.migrate', [started, success({ migrationId: 'm1' })]);
    expect(thrown).toMatchObject({ failure: 'invalid_response' });
  });

  it('prints a line per new state without a terminal', async () => {
    const steps = [
      started,
      state('pending'),
      state('pending'),
      state('\u001b[2J'),
      state('completed'),
    ];
    const { context } = await waited('documents.migrate', steps);
    expect(context.stderr()).toBe(
      'documents migrate: started\ndocuments migrate: pending\ndocuments migrate: \\u001b[2J\n',
    );
  });

  it('shows and clears a spinner on a terminal', async () => {
    const steps = [started, state('pending'), state('completed')];
    const { context, clock } = await waited('documents.migrate', steps, { answers: [] });
    const drawn = context.stderr().split('\r\u001b[2K');
    expect(drawn).toEqual(
      expect.arrayContaining(['⠋ documents migrate: started', '⠋ documents migrate: pending']),
    );
    expect(context.stderr().endsWith('\r\u001b[2K')).toBe(true);
    expect(clock.slept.reduce((sum, time) => sum + time)).toBe(1250);
  });

  it('prints only the state with --quiet', async () => {
    const steps = [started, state('pending'), state('completed')];
    const { context } = await waited('documents.migrate', steps, { options: { quiet: true } });
    expect([context.stdout(), context.stderr()]).toEqual(['completed\n', '']);
  });

  it('does not poll if the first response is final', async () => {
    const { requests, thrown } = await waited('documents.migration-status', [state('completed')]);
    expect([requests.length, thrown]).toEqual([1, undefined]);
  });

  it('exits according to the result of the migration', async () => {
    const { context, thrown } = await waited('documents.migration-status', [
      state('in_progress'),
      state('failed'),
    ]);
    expect(JSON.parse(context.stdout())).toMatchObject({ status: 'failed' });
    expect(thrown).toMatchObject({
      failure: 'records_failed',
      message: 'documents migration-status failed (status: failed)',
    });
  });

  it('has a hint to resume after an interruption', async () => {
    const controller = new AbortController();
    const interrupt = () => {
      controller.abort(new SvcError('interrupted', 'stopped by Ctrl-C'));
      return success({ migrationId: "m'1", status: 'pending' });
    };
    const { thrown, context } = await waited(
      'documents.migrate',
      [success({ migrationId: "m'1" }), interrupt],
      {
        signal: controller.signal,
      },
    );
    expect(thrown).toMatchObject({
      failure: 'interrupted',
      hint: "to resume waiting, run svc documents migration-status --org acme --migration 'm'\\''1' --wait",
    });
    expect(context.stdout()).toBe('');
  });

  it('has a hint to resume if the service stops responding', async () => {
    const { thrown } = await waited('documents.migrate', [
      started,
      failure('NOT_FOUND', 404, 'Migration not found.'),
    ]);
    expect(thrown).toMatchObject({
      failure: 'not_found',
      status: 'NOT_FOUND',
      hint: 'to resume waiting, run svc documents migration-status --org acme --migration m1 --wait',
    });
  });

  it('prints only the first call in a dry run', async () => {
    const planned: unknown[] = [];
    const { context, requests } = await waited('documents.migrate', [], {
      options: { dryRun: true },
      dryRun: async ({ url }) => void planned.push(url),
    });
    expect([planned.length, requests.length, context.stdout()]).toEqual([1, 0, '']);
  });
});
