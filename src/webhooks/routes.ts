export interface ForwardingRoute {
  readonly pattern: string;
  readonly target: URL;
}

export function findTarget(
  event: string,
  routes: readonly ForwardingRoute[],
  defaultTarget?: URL,
): URL | undefined {
  return routes.find(({ pattern }) => matchesPattern(event, pattern))?.target ?? defaultTarget;
}

/**
 * Whether an event matches a pattern, in which `*` matches any text. Takes linear time, because
 * each part is searched for only after the previous one.
 */
export function matchesPattern(event: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return event === pattern;
  if (!event.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const start = event.indexOf(part, at);
    if (start < 0) return false;
    at = start + part.length;
  }
  return event.length - last.length >= at && event.endsWith(last);
}
