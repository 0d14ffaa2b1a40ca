import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../src/catalog/events.ts';
import { checkEventTypes } from '../../../src/commands/call/event-types.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { startTestService } from '../../service/test-service.ts';
import { fakeContext } from '../fake-context.ts';

/**
 * Checks event types, and returns the warnings.
 * @param answers answers of a user on a terminal (default: no terminal)
 */
async function check(
  types: readonly string[],
  allowUnknownEvent?: true,
  answers?: readonly string[],
): Promise<readonly string[]> {
  const context = await fakeContext(answers ? { columns: 80, answers } : {});
  await checkEventTypes(context, types, { allowUnknownEvent }, 'invalid_input');
  return context
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('warning: '))
    .map((line) => line.slice('warning: '.length));
}

describe('the check of event types', () => {
  it('accepts known event types, and patterns that match one', async () => {
    const known = fc.constantFrom(...EVENT_NAMES);
    const pattern = fc
      .tuple(known, fc.nat())
      .map(([name, at]) => `${name.slice(0, at % name.length)}*`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(known, pattern)), async (types) => {
        expect(await check(types)).toEqual([]);
      }),
    );
  });

  it('knows the event types of workflows', async () => {
    const types = [
      ...['dispatched', 'completed', 'failed', 'cancelled'].map((name) => `execution.${name}`),
      ...['awaiting-approval', 'completed', 'failed', 'breached', 'cancelled'].map(
        (name) => `step.${name}`,
      ),
      'group.quorum-met',
      'loop.iteration-started',
      'loop.exhausted',
    ];
    expect(types).toHaveLength(12);
    expect(await check(types)).toEqual([]);
    const { call } = await startTestService();
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    const endpoint = { url: 'https://example.com/hook', filterTypes: types };
    const { body } = await call('/v2/workspace/advancedwebhook/endpoints/create', endpoint);
    expect(body.result?.data.filterTypes).toEqual(types);
  });

  it('names every misspelled event type once, and suggests the known one', async () => {
    const error = await check(['coment.add', 'huddle.join', 'coment.*', 'x', 'coment.add']).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({
      failure: 'invalid_input',
      message: "unknown event types 'coment.add', 'coment.*'",
      hint: "did you mean 'comment.add'? --allow-unknown-event accepts unknown event types",
    });
    for (const type of ['comment.ad', 'Comment.Add', 'huddel.join', 'commnt_annotation.*'])
      await expect(check([type])).rejects.toThrow(`unknown event type '${type}'`);
  });

  it('only warns about other unknown types, and about all if they are allowed', async () => {
    expect(await check(['thread.link_copy', 'comment.pin', 'x', 'nothing.*'])).toHaveLength(4);
    expect(await check(['coment.add', 'huddle.join', 'x'], true)).toEqual([
      "'coment.add' is not a known event type; did you mean 'comment.add'?",
      "'x' is not a known event type; to list the known types, run svc webhooks events",
    ]);
  });

  it('asks about other unknown types on a terminal', async () => {
    expect(await check(['thread.link_copy'], undefined, ['yes'])).toEqual([]);
    await expect(check(['thread.link_copy', 'x'], undefined, ['no'])).rejects.toMatchObject({
      failure: 'usage',
    });
  });
});
