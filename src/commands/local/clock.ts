import { type ClockState, describeReport } from '../../catalog/local/clock-state.ts';
import type { AdminOperationName } from '../../catalog/local/index.ts';
import { formatMessage } from '../../output/message-text.ts';
import { formatDuration } from '../../output/quantities.ts';
import type { Context } from '../context.ts';
import { createLocalCommand } from './operation.ts';

/** The commands that only print the clock. */
export type ClockCommand = Exclude<
  Extract<AdminOperationName, `local.clock.${string}`>,
  'local.clock.advance'
>;

export const advanceClock = createLocalCommand('local.clock.advance', {
  run: async ({ context, inputs: [{ advance }], run }) => {
    const [changed] = await run();
    await printClock(context, changed);
    await context.note(`+${advance.replace(/[a-z]+$/, ' $&')}: ${describeReport(changed)}`);
  },
});

export function createClockCommand(name: ClockCommand) {
  return createLocalCommand(name, {
    run: async ({ context, run }) => printClock(context, (await run())[0]),
  });
}

async function printClock(context: Context, clock: ClockState): Promise<void> {
  await (await context.printer()).value(clock, {
    renderText: ({ width: columns }) =>
      formatMessage(`${clock.now} (${describeOffset(clock)})`, { columns }),
  });
}

/** Describes the distance from real time: `2 h 0 min ahead of real time, frozen`. */
function describeOffset({ offset, frozen }: ClockState): string {
  const distance = formatDuration(Math.round(Math.abs(offset) / 1_000));
  const side = offset < 0 ? 'behind' : 'ahead of';
  const place = Math.abs(offset) < 1_000 ? 'real time' : `${distance} ${side} real time`;
  return frozen ? `${place}, frozen` : place;
}
