/** Forms the plural of a regular noun: `user` becomes `users`, `activity` becomes `activities`. */
export function pluralize(noun: string): string {
  return noun.replace(/(?<![aeiou])y$/, 'ie').concat('s');
}

/** Formats a number with its noun: `1 user`, `2 users`, `1,200 users`. */
export function formatNounCount(count: number, noun: string): string {
  return `${groupDigits(count)} ${count === 1 ? noun : pluralize(noun)}`;
}

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
