import { useContext, useState } from 'preact/hooks';
import { Fact, Facts, Head, Problem } from './elements.tsx';
import { formatOffset, safe } from './format.ts';
import { call, ServiceClock } from './service.ts';

const PRESETS = ['1m', '1h', '24h', '49h'];

export function Clock() {
  const { clock, refresh } = useContext(ServiceClock);
  const [duration, setDuration] = useState('49h');
  const [report, setReport] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const change = async (body: object) => {
    setBusy(true);
    try {
      const { report } = await call<{ readonly report?: string }>('clock', body);
      setReport(report);
      setProblem(undefined);
    } catch (error) {
      setProblem(error as Error);
    }
    await refresh();
    setBusy(false);
  };
  const advance = (event: Event) => {
    event.preventDefault();
    change({ advance: duration });
  };
  const local = clock && new Date(clock.now).toLocaleString();
  return (
    <section class="page">
      <Head title="Clock">
        <button type="button" disabled={isBusy || !clock} onClick={() => change(clock?.frozen ? { run: true } : { freeze: true })}>
          {clock?.frozen ? 'Run' : 'Freeze'}
        </button>
        <button type="button" disabled={isBusy || !clock} onClick={() => change({ reset: true })}>
          Reset
        </button>
      </Head>
      <p class="now">{clock?.now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') ?? ' '}</p>
      <Facts>
        <Fact name="Local time">{local}</Fact>
        <Fact name="Offset">{clock && (clock.offset === 0 ? 'none: real time' : formatOffset(clock.offset))}</Fact>
        <Fact name="State">{clock && (clock.frozen ? 'frozen' : 'running')}</Fact>
      </Facts>
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
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Advancing…' : 'Advance'}
        </button>
      </form>
      <Problem error={problem} />
      <p role="status" class="report">
        {report && safe(report)}
      </p>
    </section>
  );
}
