import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ClockState } from '../../src/catalog/local/clock-state.ts';
import { Clock } from './clock.tsx';
import { Deliveries } from './deliveries.tsx';
import { Badge } from './elements.tsx';
import { Faults } from './faults.tsx';
import { formatOffset } from './format.ts';
import { Organizations } from './organizations.tsx';
import { Requests } from './requests.tsx';
import { hrefOf, useRoute } from './route.ts';
import { readToken, ServiceClock, takeToken, usePolled } from './service.ts';

const PARTS = { Requests, Organizations, Deliveries, Faults, Clock };

function App() {
  const [first, ...route] = useRoute();
  const { data: clock, error, refresh } = usePolled<ClockState>('clock');
  const [title, Part] = Object.entries(PARTS).find(([name]) => name.toLowerCase() === first) ?? [
    'Requests',
    Requests,
  ];
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  if (error?.cause === 401) return <TokenPage />;
  if (!clock && !error) return null;
  return (
    <ServiceClock.Provider value={{ ...(clock && { clock }), refresh }}>
      <nav class="parts" aria-label="Views">
        <strong>svc inspector</strong>
        {Object.keys(PARTS).map((name) => (
          <a
            key={name}
            href={hrefOf(name.toLowerCase())}
            aria-current={name === title ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
        <p class="state" role="status">
          <Badge tone={error ? 'bad' : 'good'}>{error ? 'disconnected' : 'live'}</Badge>
          {clock?.frozen ? 'frozen' : clock?.offset ? formatOffset(clock.offset) : ''}
        </p>
      </nav>
      <main key={title}>
        <Part route={route} />
      </main>
    </ServiceClock.Provider>
  );
}

function TokenPage() {
  return (
    <main class="token">
      <h1>
        {readToken() === null
          ? 'The inspector needs the admin token'
          : 'The admin token is not valid'}
      </h1>
      <p>
        Open the address that <code>svc serve --ui</code> prints. It contains the token, which
        changes each time the service starts.
      </p>
    </main>
  );
}

/** Moves the focus to the filter on `/`, unless the user is typing in a field. */
function focusFilter(event: KeyboardEvent): void {
  const isTyping =
    event.target instanceof Element && event.target.matches('input, textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  document.querySelector<HTMLElement>('.filter')?.focus();
}

takeToken();
addEventListener('keydown', focusFilter);
render(<App />, document.body);
