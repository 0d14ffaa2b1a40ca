import { closeAfter } from '../../kernel/resource.ts';
import {
  type ClockContext,
  changeClock,
  parseClockChange,
  readClock,
} from '../../service/development/clock-control.ts';
import { describeReport } from '../../service/development/clock-state.ts';
import { openEmbedded } from '../../service/embedded.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { createErrorReporter } from '../embedded/error-reporter.ts';
import { ensureLocalWrites, explainRefusals } from '../embedded/store.ts';
import type { ChangeClockFlags } from './flags.ts';

export async function showClock(context: Context): Promise<void> {
  const printer = await context.printer();
  await printer.value(await withClock(context, 'read', readClock), {});
}

/**
 * Creates a command that changes the clock. The command's argument, if any, is the value of the
 * change.
 */
export function createClockCommand(name: 'advance' | 'set' | 'freeze' | 'run' | 'reset') {
  return async (
    context: Context,
    { arguments: [text], options }: Invocation<ChangeClockFlags>,
  ): Promise<void> => {
    const change = parseClockChange({ [name]: text ?? true, force: options.force === true });
    const printer = await context.printer();
    const changed = await withClock(context, 'write', (clock) => changeClock(clock, change));
    await printer.value(changed, {});
    if (name === 'advance')
      await context.note(`+${text?.replace(/[a-z]+$/, ' $&')}: ${describeReport(changed)}`);
  };
}

async function withClock<Result>(
  context: Context,
  effect: 'read' | 'write',
  work: (clock: ClockContext) => Promise<Result>,
): Promise<Result> {
  if (effect === 'write') await ensureLocalWrites(context);
  const { clock, options, folders, signal } = context;
  const location = await resolveStoreLocation(options.store, folders);
  const service = await openEmbedded(location, {
    clock,
    signal,
    logFolder: folders.data,
    report: createErrorReporter(context),
  });
  return closeAfter(service, ({ development }) =>
    explainRefusals(effect, () => work({ ...development, signal })),
  );
}
