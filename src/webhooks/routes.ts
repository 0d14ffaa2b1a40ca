/** Where deliveries go by the type of their event; `*` stands for any text. */
export interface Route {
  readonly pattern: string;
  readonly target: URL;
}

/** The target of an event: that of the first route that fits, else the one for all. */
export function targetOf(event: string, routes: readonly Route[], otherwise?: URL): URL | undefined {
  return routes.find(({ pattern }) => fits(event, pattern))?.target ?? otherwise;
}

/** In linear time, whatever the pattern: each part between two stars is looked for behind the one before. */
function fits(event: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return event === pattern;
  if (!event.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = event.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return event.length - last.length >= at && event.endsWith(last);
}
