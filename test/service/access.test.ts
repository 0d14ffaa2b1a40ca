import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessLevel, admittingLevels } from '../../src/service/records/access.ts';

interface Folder {
  readonly own: 'public' | 'restricted' | 'organizationPrivate' | undefined;
}

/** A chain of folders, the outermost first; a folder without access of its own inherits its parent's. */
const chains = fc.array(
  fc.record<Folder>({ own: fc.constantFrom('public', 'restricted', 'organizationPrivate', undefined) }),
  {
    maxLength: 6,
  },
);

/** The levels as the service stores them: an inheriting folder holds a copy of its parent's access. */
function stored(chain: readonly Folder[], documentAccess: string): readonly AccessLevel[] {
  let accessType = 'public';
  const folders = chain.map(({ own }, at): AccessLevel => {
    accessType = own ?? accessType;
    return { level: 'folder', resourceId: String(at), accessType, inherits: own === undefined };
  });
  return [
    { level: 'document', resourceId: 'd', accessType: documentAccess },
    ...folders.toReversed(),
    { level: 'organization', resourceId: '', accessType: 'public' },
  ];
}

/** Whether a member of one folder, and of nothing else, can open a document at the end of the chain. */
function isAdmitted(chain: readonly Folder[], memberOf: number, documentAccess: string): boolean {
  if (documentAccess === 'restricted') return false;
  // The member's own folder admits its members. A restriction set further in keeps them out.
  return chain.every(({ own }, at) => at <= memberOf || own !== 'restricted');
}

describe('access to a document', () => {
  it('is that of the members up to the first level restricted on its own account', () => {
    fc.assert(
      fc.property(chains, fc.constantFrom('public', 'restricted'), (chain, documentAccess) => {
        const admitting = new Set(admittingLevels(stored(chain, documentAccess)).map(({ resourceId }) => resourceId));
        chain.forEach((_, at) => {
          expect(admitting.has(String(at)), `folder ${at}`).toBe(isAdmitted(chain, at, documentAccess));
        });
        expect(admitting.has('')).toBe(isAdmitted(chain, -1, documentAccess));
        expect(admitting.has('d')).toBe(true);
      }),
    );
  });
});
