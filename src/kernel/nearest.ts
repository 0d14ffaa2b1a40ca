import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped one most likely meant, or `undefined` when none is near. */
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
  return best;
}

/** The hint that goes with an unknown name: `did you mean '--file'?`, or the list when nothing is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = nearest(typed, known);
  return near ? `did you mean '${near}'?` : `known: ${known.join(', ')}`;
}
