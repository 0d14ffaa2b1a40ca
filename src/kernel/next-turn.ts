/** Resolves in the next turn of the event loop, after signals, timers, and sockets have been served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
