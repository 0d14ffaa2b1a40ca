import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { isPostgres } from './store-location.ts';
import { startTestService } from './test-service.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', '__proto__'];
const ACCESS = ['public', 'restricted', 'organizationPrivate'];

interface Folder {
  parent: string;
  readonly own: string | undefined;
}

/**
 * A simple model of the folders: stores parents and own access, and derives everything else on each
 * call.
 */
class Model {
  readonly folders = new Map<string, Folder>();

  ancestors(id: string): string[] {
    const parent = this.folders.get(id)?.parent;
    return parent === undefined ? [] : [...this.ancestors(parent), parent];
  }

  access(id: string): string {
    const folder = this.folders.get(id);
    return folder ? (folder.own ?? this.access(folder.parent)) : 'public';
  }

  move(id: string, parent: string): boolean {
    const folder = this.folders.get(id);
    if (!folder || (parent !== 'root' && !this.folders.has(parent))) return false;
    if (parent === id || this.ancestors(parent).includes(id)) return false;
    folder.parent = parent;
    return true;
  }

  entries() {
    return [...this.folders.keys()].map((id) => ({
      id,
      ancestors: this.ancestors(id),
      access: this.access(id),
    }));
  }
}

interface Addition {
  readonly folderId: string;
  readonly parentFolderId: string;
  readonly accessType: string | undefined;
}

const folderId = fc.constantFrom(...IDS);
const parentFolderId = fc.constantFrom('root', ...IDS);
const accessType = fc.option(fc.constantFrom(...ACCESS), { nil: undefined });
const additions = fc.uniqueArray(fc.record({ folderId, parentFolderId, accessType }), {
  selector: (addition) => addition.folderId,
  minLength: 1,
});
const moves = fc.array(fc.record({ folderId, parentFolderId }), { maxLength: 12 });

/** Adds folders to the model. A folder whose parent does not exist yet moves to the top level. */
function addToModel(model: Model, added: readonly Addition[]): readonly Addition[] {
  return added.map((addition) => {
    const parent = model.folders.has(addition.parentFolderId) ? addition.parentFolderId : 'root';
    model.folders.set(addition.folderId, { parent, own: addition.accessType });
    return { ...addition, parentFolderId: parent };
  });
}

const byId = (entries: readonly { readonly id: string }[]) =>
  entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));

describe('folder moves', () => {
  it('result in the same ancestors and access as a simple model', SLOW, async () => {
    const { call } = await startTestService();
    let runs = 0;
    const agrees = fc.asyncProperty(additions, moves, async (added, moved) => {
      const organizationId = `organization-${runs++}`;
      const model = new Model();
      const folders = addToModel(model, added);
      await call('/v2/organizations/folders/add', {
        organizationId,
        createOrganization: true,
        folders,
      });
      for (const change of moved) {
        const { body } = await call('/v2/organizations/folders/update', {
          organizationId,
          folders: [change],
        });
        const [result] = Object.values(body.result?.data);
        expect(Object(result).success).toBe(model.move(change.folderId, change.parentFolderId));
      }
      const { body } = await call('/v2/organizations/folders/get', { organizationId });
      const received: readonly Record<string, unknown>[] = body.result?.data;
      const entries = received.map((folder) => ({
        id: String(folder['folderId']),
        ancestors: folder['ancestors'],
        access: folder['accessType'],
      }));
      expect(byId(entries)).toEqual(byId(model.entries()));
    });
    await fc.assert(agrees, { numRuns: repeats(isPostgres ? 20 : 60) });
  });
});
