import { useEffect, useState } from 'preact/hooks';
import { takeToken } from './service.ts';

/** Segments of the page's place: `['requests', '12']` for `#/requests/12`. */
export type Route = readonly string[];

export const hrefOf = (...segments: Route): string => `#/${segments.map(encodeURIComponent).join('/')}`;

const currentRoute = (): Route => location.hash.slice(2).split('/').filter(Boolean).map(decodeURIComponent);

/** Follows the place in the URL fragment, so that reloading and going back work. A pasted URL may bring a new token. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const follow = () => {
      takeToken();
      setRoute(currentRoute());
    };
    // The place may have changed before the effect ran.
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
