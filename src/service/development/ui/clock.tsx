import { useContext, useState } from 'preact/hooks';
import type { AdvanceReport } from '../clock-state.ts';
import { Facts, Head, Problem } from './elements.tsx';
import { formatOffset } from './format.ts';
import { ServiceClock, useChange } from './service.ts';

const PRESETS = ['1m', '1h', '24h', '49h'];

/** Formats the work that ran during an advance: `+49h: 7 attempts, 1 endpoint disabled`. */
function formatReport(duration: string, report: AdvanceReport): string {
  const counts = [
    [report.attempts, 'delivery attempt', ''],
    [report.endpointsDisabled, 'endpoint', ' disabled'],
    [report.tokensExpired, 'token', ' expired'],
    [report.permissionsExpired, 'permission', ' expired'],
  ] as const;
  const parts = counts.flatMap(([count, noun, verb]) => (count > 0 ? `${count} ${noun}${count === 1 ? '' : 's'}${verb}` : []));
  return `+${duration}: ${parts.join(', ') || 'nothing was due'}`;
}

export function Clock() {
  const { clock, refresh } = useContext(ServiceClock);
  const { change, problem, isBusy } = useChange('clock', refresh);
  const [duration, setDuration] = useState('49h');
  const [report, setReport] = useState('');
  const advance = async (event: Event) => {
    event.preventDefault();
    setReport('');
    const result = await change<AdvanceReport>(() => ({ advance: duration }));
    if (result) setReport(formatReport(duration, result));
  };
  const turn = (name: 'freeze' | 'run' | 'reset') => change(() => ({ [name]: true })).then(() => setReport(''));
  const isOff = isBusy || !clock;
  return (
    <section class="page">
      <Head title="Clock">
        <button type="button" disabled={isOff} onClick={() => turn(clock?.frozen ? 'run' : 'freeze')}>
          {clock?.frozen ? 'Run' : 'Freeze'}
        </button>
        <button type="button" disabled={isOff} onClick={() => turn('reset')}>
          Reset
        </button>
      </Head>
      <p class="now">{clock ? clock.now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : '…'}</p>
      {clock && (
        <Facts
          of={{
            'Local time': new Date(clock.now).toLocaleString(),
            Offset: clock.offset === 0 ? 'none' : formatOffset(clock.offset),
            State: clock.frozen ? 'frozen' : 'running',
          }}
        />
      )}
      <form onSubmit={advance}>
        <label>
          Advance by
          <input value={duration} required size={8} onInput={({ currentTarget }) => setDuration(currentTarget.value)} />
        </label>
        {PRESETS.map((preset) => (
          <button key={preset} type="button" aria-pressed={preset === duration} onClick={() => setDuration(preset)}>
            {preset}
          </button>
        ))}
        <button type="submit" class="primary" disabled={isOff}>
          Advance
        </button>
      </form>
      <Problem error={problem} />
      <p role="status">{report}</p>
    </section>
  );
}
