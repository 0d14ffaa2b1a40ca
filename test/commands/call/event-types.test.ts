import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../src/catalog/events.ts';
import { checkEventTypes } from '../../../src/commands/call/event-types.ts';
import { type Hint, hint, SvcError } from '../../../src/kernel/errors.ts';

/** Checks event types, and returns the warnings. */
async function check(
  types: readonly string[],
  allowUnknownEvent?: true,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const warn = async (message: string | Hint) => void warnings.push(hint`${message}`.format());
  await checkEventTypes({ warn }, types, { allowUnknownEvent }, 'invalid_input');
  return warnings;
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

  it('names every unknown event type once, and suggests the nearest known one', async () => {
    const error = await check(['coment.add', 'huddle.join', 'x', 'x', 'nothing.*']).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({
      failure: 'invalid_input',
      message: "unknown event types 'coment.add', 'x', 'nothing.*'",
      hint: "did you mean 'comment.add'? --allow-unknown-event accepts unknown event types",
    });
    await expect(check(['thread.link_copy'])).rejects.toMatchObject({
      hint: 'svc webhooks events lists the known event types; --allow-unknown-event accepts others',
    });
  });

  it('only warns if unknown event types are allowed', async () => {
    expect(await check(['coment.add', 'huddle.join', 'x'], true)).toEqual([
      "'coment.add' is not a known event type; did you mean 'comment.add'?",
      "'x' is not a known event type; run svc webhooks events to list the known types",
    ]);
  });
});
