import { useContext, useState } from 'preact/hooks';
import { type AdvanceReport, describeReport } from '../../src/catalog/local/clock-state.ts';
import { Fields, Head, Problem } from './elements.tsx';
import { formatOffset } from './format.ts';
import { ServiceClock, useChange } from './service.ts';

export function Clock() {
  const { clock, refresh } = useContext(ServiceClock);
  const { change, problem, isBusy } = useChange('clock', refresh);
  const [report, setReport] = useState('');
  if (!clock) return <Head title="Clock" />;
  const { now, offset, frozen } = clock;
  const advance = async (event: SubmitEvent) => {
    event.preventDefault();
    const duration = new FormData(event.currentTarget as HTMLFormElement).get('duration');
    const result = await change<AdvanceReport>(() => ({ advance: duration }));
    setReport(result ? `+${duration}: ${describeReport(result)}` : '');
  };
  const turn = (name: 'freeze' | 'run' | 'reset') =>
    change(() => ({ [name]: true })).then(() => setReport(''));
  return (
    <section class="page">
      <Head title="Clock">
        <button type="button" disabled={isBusy} onClick={() => turn(frozen ? 'run' : 'freeze')}>
          {frozen ? 'Run' : 'Freeze'}
        </button>
        <button type="button" disabled={isBusy} onClick={() => turn('reset')}>
          Reset
        </button>
      </Head>
      <p class="now">{now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</p>
      <Fields
        of={{
          localTime: new Date(now).toLocaleString(),
          offset: formatOffset(offset),
          state: frozen ? 'frozen' : 'running',
        }}
      />
      <form onSubmit={advance}>
        <label>
          Advance by
          <input name="duration" defaultValue="49h" required size={8} />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Advance
        </button>
      </form>
      <Problem error={problem} />
      <p role="status">{report}</p>
    </section>
  );
}
