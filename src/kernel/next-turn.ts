/** Resolves in the next turn of the event loop, after pending signals, timers, and sockets. */
export function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
