import { createContext } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ClockState } from '../clock-state.ts';

/** Milliseconds between two readings of the shown data. */
const POLL_INTERVAL = 1_000;
const TOKEN_KEY = 'svc-admin-token';

/** Moves the admin token from the URL fragment to this tab's storage, so that it is not in the address bar or history. */
export function takeToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  keepToken(token);
  history.replaceState(null, '', location.pathname);
}

export const readToken = () => sessionStorage.getItem(TOKEN_KEY);
export const keepToken = (token: string) => sessionStorage.setItem(TOKEN_KEY, token);

/** An error response of the service. */
export class RejectedCall extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Calls a route below `/_svc/`, with POST if there is a body. @throws RejectedCall for an error response */
export async function call<Result>(path: string, body?: unknown): Promise<Result> {
  if (readToken() === null) throw new RejectedCall(401, 'no token');
  const response = await fetch(`/_svc/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${readToken()}`, 'content-type': 'application/json' },
  });
  const result = await response.json();
  if (response.ok) return result;
  const { message, details } = result.error;
  throw new RejectedCall(response.status, [message, details?.hint].filter(Boolean).join('; '));
}

/** Formats a path with a query. Skips undefined and empty values. */
export function query(path: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return `${path}?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}`;
}

/** Calls `read` now, whenever it changes, and every second while the page is visible. */
export function usePolling(read: () => Promise<void>): void {
  useEffect(() => {
    let timer = 0;
    let isCurrent = true;
    const poll = async () => {
      clearTimeout(timer);
      if (!document.hidden) await read();
      clearTimeout(timer);
      if (isCurrent && !document.hidden) timer = window.setTimeout(poll, POLL_INTERVAL);
    };
    document.addEventListener('visibilitychange', poll);
    poll();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [read]);
}

interface Polled<Result> {
  readonly data?: Result | undefined;
  readonly error?: Error | undefined;
}

/** Reads a route repeatedly, and keeps the data while the service is unreachable. `refresh` reads at once, after a change. */
export function usePolled<Result>(path: string): Polled<Result> & { readonly refresh: () => Promise<void> } {
  const [polled, setPolled] = useState<Polled<Result>>({});
  const latest = useRef(path);
  latest.current = path;
  const refresh = useCallback(async () => {
    const isLatest = () => latest.current === path;
    try {
      const data = await call<Result>(path);
      if (isLatest()) setPolled({ data });
    } catch (error) {
      const isResponse = error instanceof RejectedCall;
      if (isLatest()) setPolled(({ data }) => ({ ...(!isResponse && { data }), error: error as Error }));
    }
  }, [path]);
  usePolling(refresh);
  return { ...polled, refresh };
}

/** Sends changes to a route, and calls `refresh` after each of them. `change` resolves with undefined after an error. */
export function useChange(path: string, refresh: () => Promise<void>) {
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const change = async <Result>(createBody: () => unknown): Promise<Result | undefined> => {
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
  readonly clock: ClockState | undefined;
  readonly refresh: () => Promise<void>;
}

/** The service's clock, which parts show times relative to. */
export const ServiceClock = createContext<SharedClock>({ clock: undefined, refresh: async () => undefined });
