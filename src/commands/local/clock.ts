import { formatNounCount } from '../../kernel/plural.ts';
import { changeClock, readClock } from '../../service/development/clock-control.ts';
import type { AdvanceReport, ClockChange } from '../../service/development/clock-state.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import type { ChangeClockFlags } from './flags.ts';

export async function showClock(context: Context): Promise<void> {
  const state = await withStore(context, 'read', (store, _, service) => readClock(contextOf(context, { store, ...service })));
  await (await context.printer()).value(state, {});
}

/** Creates the code of a command that changes the clock. The change's value is the command's argument, if it has one. */
export function changeClockBy(name: 'advance' | 'set' | 'freeze' | 'run' | 'reset') {
  return async (context: Context, { arguments: [text], options }: Invocation<ChangeClockFlags>): Promise<void> => {
    const change = { [name]: text ?? true, force: options.force === true } as unknown as ClockChange;
    const printer = await context.printer();
    const { now, offset, frozen, ...report } = await withStore(context, 'write', (store, _, service) =>
      changeClock(contextOf(context, { store, ...service }), change),
    );
    await printer.value({ now, offset, frozen, ...report }, {});
    if (name === 'advance') await context.note(`+${text?.replace(/[a-z]+$/, ' $&')}: ${describeReport(report)}`);
  };
}

type ClockContext = Parameters<typeof changeClock>[0];

function contextOf({ clock, signal, warn }: Context, service: Pick<ClockContext, 'store' | 'development'>): ClockContext {
  const report = (error: unknown) => void warn(String(error));
  return { ...service, realClock: clock, signal, report, allowPrivateTargets: true };
}

/** Returns text such as `7 attempts, 1 endpoint disabled`. */
function describeReport(report: Partial<AdvanceReport>): string {
  const { attempts = 0, endpointsDisabled = 0, tokensExpired = 0, permissionsExpired = 0 } = report;
  const parts = [
    attempts > 0 && formatNounCount(attempts, 'attempt'),
    endpointsDisabled > 0 && `${formatNounCount(endpointsDisabled, 'endpoint')} disabled`,
    tokensExpired > 0 && `${formatNounCount(tokensExpired, 'token')} expired`,
    permissionsExpired > 0 && `${formatNounCount(permissionsExpired, 'permission')} expired`,
  ].filter((part) => part !== false);
  return parts.join(', ') || 'nothing was due';
}
