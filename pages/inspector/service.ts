import { createContext } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ClockState } from '../../src/catalog/local/clock-state.ts';

/** Interval between polls, in milliseconds. */
const POLL_INTERVAL = 1_000;
const TOKEN_KEY = 'svc-admin-token';

export const readToken = () => sessionStorage.getItem(TOKEN_KEY);

/**
 * Moves the admin token from the URL fragment to the tab's session storage, to keep it out of the
 * address bar and history.
 */
export function takeToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  sessionStorage.setItem(TOKEN_KEY, token);
  history.replaceState(null, '', location.pathname);
}

/**
 * Calls a route under `/_svc/`, with POST if there is a body.
 * @throws Error with the HTTP status as `cause`
 */
export async function call<Result>(path: string, body?: unknown): Promise<Result> {
  if (readToken() === null) throw new Error('no token', { cause: 401 });
  const response = await fetch(`/_svc/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${readToken()}`, 'content-type': 'application/json' },
  });
  const result = await response.json();
  if (response.ok) return result;
  const { message, details } = result.error;
  throw new Error([message, details?.hint].filter(Boolean).join('; '), { cause: response.status });
}

/** Formats a path with a query. Skips undefined and empty values. */
export function query(
  path: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return `${path}?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * Calls `read` immediately, whenever the function changes, and every second while the page is
 * visible.
 */
export function usePolling(read: () => Promise<void>): void {
  useEffect(() => {
    const poll = () => void (document.hidden || read());
    poll();
    const timer = setInterval(poll, POLL_INTERVAL);
    document.addEventListener('visibilitychange', poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [read]);
}

/**
 * Polls a route, and keeps the last data while the service is unreachable. `refresh` reads
 * immediately.
 */
export function usePolled<Result>(path: string) {
  const [polled, setPolled] = useState<{ readonly data?: Result; readonly error?: Error }>({});
  const refresh = useCallback(async () => {
    try {
      setPolled({ data: await call<Result>(path) });
    } catch (failure) {
      const error = failure as Error;
      setPolled((last) => (error.cause === undefined ? { ...last, error } : { error }));
    }
  }, [path]);
  usePolling(refresh);
  return { ...polled, refresh };
}

/**
 * Sends changes to a route, and calls `refresh` after each change. `change` resolves with undefined
 * after an error.
 */
export function useChange(path: string, refresh: () => Promise<void>) {
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const change = async <Result>(createBody: () => object): Promise<Result | undefined> => {
    setBusy(true);
    try {
      const result = await call<Result>(path, createBody());
      setProblem(undefined);
      return result;
    } catch (error) {
      setProblem(error as Error);
      return undefined;
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  return { change, problem, isBusy };
}

interface SharedClock {
  readonly clock?: ClockState;
  readonly refresh: () => Promise<void>;
}

/** Provides the service's clock, for relative times. */
export const ServiceClock = createContext<SharedClock>({ refresh: async () => undefined });
