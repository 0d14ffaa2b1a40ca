import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ClockState } from '../clock-state.ts';
import { Clock } from './clock.tsx';
import { Deliveries } from './deliveries.tsx';
import { Badge } from './elements.tsx';
import { Faults } from './faults.tsx';
import { formatOffset } from './format.ts';
import { Organizations } from './organizations.tsx';
import { Requests } from './requests.tsx';
import { hrefOf, useRoute } from './route.ts';
import { keepToken, RejectedCall, readToken, ServiceClock, takeToken, usePolled } from './service.ts';

const PARTS = { requests: Requests, organizations: Organizations, deliveries: Deliveries, faults: Faults, clock: Clock };
type PartName = keyof typeof PARTS;

const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function App() {
  const [first = '', ...route] = useRoute();
  const { data: clock, error, refresh } = usePolled<ClockState>('clock');
  const name = isPart(first) ? first : 'requests';
  const Part = PARTS[name];
  useEffect(() => {
    document.title = `${titleOf(name)} · svc`;
    addEventListener('keydown', focusFilter);
  }, [name]);
  if (!clock && !error) return null;
  if (error instanceof RejectedCall && error.status === 401)
    return <TokenPage isRejected={readToken() !== null} onToken={refresh} />;
  return (
    <ServiceClock.Provider value={{ clock, refresh }}>
      <nav class="parts" aria-label="Parts">
        <strong>svc inspector</strong>
        {Object.keys(PARTS).map((part) => (
          <a key={part} href={hrefOf(part)} aria-current={part === name ? 'page' : undefined}>
            {titleOf(part)}
          </a>
        ))}
        <p class="state" role="status">
          <Badge tone={error ? 'bad' : 'good'}>{error ? 'disconnected' : 'live'}</Badge>
          {clock?.frozen ? 'frozen' : clock && clock.offset !== 0 && formatOffset(clock.offset)}
        </p>
      </nav>
      <main key={name}>
        <Part route={route} />
      </main>
    </ServiceClock.Provider>
  );
}

/** Moves the focus to the filter on `/`, unless the key belongs to a field. */
function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>('.filter');
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
  if (event.key !== '/' || isTyping || !filter || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  filter.focus();
}

interface TokenPageProps {
  readonly isRejected: boolean;
  readonly onToken: () => void;
}

function TokenPage({ isRejected, onToken }: TokenPageProps) {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    keepToken(token);
    onToken();
  };
  return (
    <main class="token">
      <h1>{isRejected ? 'The service did not accept the token' : 'The inspector needs the admin token'}</h1>
      <p>
        Open the address that <code>svc serve --ui</code> prints. It ends with the token, which changes with each start of the
        service. You can also enter the token here:
      </p>
      <form onSubmit={submit}>
        <input
          aria-label="Admin token"
          autoComplete="off"
          spellcheck={false}
          required
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
        />
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}

takeToken();
render(<App />, document.body);
