import { distance } from 'fastest-levenshtein';

/** Finds the known name closest to a mistyped or incomplete one; `undefined` if none is close. */
export function findNearest(typed: string, known: Iterable<string>): string | undefined {
  const lowerTyped = typed.toLowerCase();
  let best: string | undefined;
  let bestDistance = maxEdits(lowerTyped.length) + 1;
  for (const name of known) {
    const candidateDistance = distance(lowerTyped, name.toLowerCase());
    if (candidateDistance < bestDistance) {
      best = name;
      bestDistance = candidateDistance;
    }
  }
  return best ?? findOnlyWithPrefix(lowerTyped, known);
}

/** Any word of one letter is one edit from any other. */
function maxEdits(length: number): number {
  if (length < 4) return length < 2 ? 0 : 1;
  // Two swapped letters count as two edits.
  return Math.max(2, Math.floor(length * 0.4));
}

/**
 * Finds the closest name that differs in one or two letters, and in less than half of them. Ignores
 * case.
 */
export function findSimilar(typed: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = MAX_TYPOS + 1;
  for (const name of known) {
    if (Math.abs(name.length - typed.length) > MAX_TYPOS || name === typed) continue;
    const edits = distance(typed.toLowerCase(), name.toLowerCase());
    if (edits >= bestDistance || edits * 2 >= Math.min(typed.length, name.length)) continue;
    best = name;
    bestDistance = edits;
  }
  return best;
}

const MAX_TYPOS = 2;

function findOnlyWithPrefix(lowerTyped: string, known: Iterable<string>): string | undefined {
  const [only, ...others] =
    lowerTyped.length < 2
      ? []
      : [...known].filter((name) => name.toLowerCase().startsWith(lowerTyped));
  return others.length === 0 ? only : undefined;
}

/**
 * Creates the hint for an unknown name: `did you mean '--file'?`, or `otherwise` (default: all
 * known names).
 */
export function didYouMean(
  typed: string,
  known: readonly string[],
  otherwise = `known: ${known.join(', ')}`,
): string {
  const nearest = findNearest(typed, known);
  return nearest ? `did you mean '${nearest}'?` : otherwise;
}
