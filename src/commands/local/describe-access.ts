import type { Explanation } from '../../catalog/local/answers.ts';

/** Summarizes an explanation: `u1 can open d1 as editor`. */
export function describeAccess({ user, document, role, disabled }: Explanation): string {
  if (disabled) return `${user} cannot open ${document}: the document is disabled`;
  return role ? `${user} can open ${document} as ${role}` : `${user} cannot open ${document}`;
}
