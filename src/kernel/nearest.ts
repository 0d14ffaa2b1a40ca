import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped one, or the beginning of one, most likely meant; `undefined` when none is near. */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  let best: string | undefined;
  // Two letters the wrong way round are two changes, so that a short word is allowed as many.
  let bestDistance = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length * 0.4)) + 1;
  for (const name of known) {
    const away = distance(wanted, name.toLowerCase());
    if (away < bestDistance) {
      best = name;
      bestDistance = away;
    }
  }
  return best ?? onlyBegunWith(wanted, known);
}

/** Of several names with that beginning none is likelier. */
function onlyBegunWith(wanted: string, known: Iterable<string>): string | undefined {
  const [only, ...others] = wanted.length < 2 ? [] : [...known].filter((name) => name.toLowerCase().startsWith(wanted));
  return others.length === 0 ? only : undefined;
}

/** The hint that goes with an unknown name: `did you mean '--file'?`, or the list when nothing is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = nearest(typed, known);
  return near ? `did you mean '${near}'?` : `known: ${known.join(', ')}`;
}
