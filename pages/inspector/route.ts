import { useEffect, useState } from 'preact/hooks';
import { takeToken } from './service.ts';

/** Segments of the URL fragment: `['requests', '12']` for `#/requests/12`. */
export type Route = readonly string[];

export const hrefOf = (...segments: Route): string =>
  `#/${segments.map(encodeURIComponent).join('/')}`;

const currentRoute = (): Route => location.hash.slice(2).split('/').filter(Boolean).map(decode);

/** Decodes a segment. A segment that is not encoded, such as `%`, is returned unchanged. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Returns the route in the URL fragment, so that reload and Back work. Also accepts a new token
 * from a pasted URL.
 */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const follow = () => {
      takeToken();
      setRoute(currentRoute());
    };
    // The route may have changed before the effect ran.
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
