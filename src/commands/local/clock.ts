import { describeReport } from '../../catalog/local/clock-state.ts';
import { createLocalCommand } from './operation.ts';

export const advanceClock = createLocalCommand('local.clock.advance', {
  run: async ({ context, inputs: [{ advance }], run }) => {
    const [changed] = await run();
    await (await context.printer()).value(changed, {});
    await context.note(`+${advance.replace(/[a-z]+$/, ' $&')}: ${describeReport(changed)}`);
  },
});
