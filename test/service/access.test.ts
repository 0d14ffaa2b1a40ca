import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccessLevelSettings } from '../../src/catalog/local/access.ts';
import { createAccessCheck } from '../../src/service/records/access.ts';

interface Folder {
  readonly own: 'public' | 'restricted' | 'organizationPrivate' | undefined;
}

/**
 * A chain of folders, the outermost first. A folder without access of its own inherits its
 * parent's.
 */
const chains = fc.array(
  fc.record<Folder>({
    own: fc.constantFrom('public', 'restricted', 'organizationPrivate', undefined),
  }),
  {
    maxLength: 6,
  },
);

/**
 * The levels as the service stores them: an inheriting folder holds a copy of its parent's access.
 */
function storedLevels(
  chain: readonly Folder[],
  documentAccess: string,
): readonly AccessLevelSettings[] {
  let accessType = 'public';
  const folders = chain.map(({ own }, at): AccessLevelSettings => {
    accessType = own ?? accessType;
    return { level: 'folder', id: String(at), accessType, inherited: own === undefined };
  });
  return [
    { level: 'document', id: 'd', accessType: documentAccess },
    ...folders.toReversed(),
    { level: 'organization', id: '', accessType: 'public' },
  ];
}

/**
 * Whether a user who is a member of only one folder can open a document at the end of the chain.
 */
function hasAccess(chain: readonly Folder[], memberOf: number, documentAccess: string): boolean {
  if (documentAccess === 'restricted') return false;
  // The member's own folder grants access. A restriction on a folder further in denies it.
  return chain.every(({ own }, at) => at <= memberOf || own !== 'restricted');
}

describe('access to a document', () => {
  it('is granted to members of all levels up to the first one with its own restriction', () => {
    fc.assert(
      fc.property(chains, fc.constantFrom('public', 'restricted'), (chain, documentAccess) => {
        const path = storedLevels(chain, documentAccess);
        const member = { role: 'editor', expiresAt: null };
        const { via } = createAccessCheck(
          { disabled: false, path },
          0,
        )(path.map((level) => ({ ...level, ...member })));
        const granting = new Set(via.map(({ id }) => id));
        chain.forEach((_, at) => {
          expect(granting.has(String(at)), `folder ${at}`).toBe(
            hasAccess(chain, at, documentAccess),
          );
        });
        expect(granting.has('')).toBe(hasAccess(chain, -1, documentAccess));
        expect(granting.has('d')).toBe(true);
      }),
    );
  });
});
