import type { Resource } from '../../catalog/index.ts';
import type { HandlersOf } from './handler.ts';

/** The handlers of each resource, loaded by its first call. An operation of the catalog without one does not compile. */
const LOADERS: { readonly [Name in Resource]: () => Promise<HandlersOf<Name>> } = {
  'auth-tokens': async () => (await import('./auth-tokens.ts')).authTokens,
  documents: async () => (await import('./documents.ts')).documents,
  folders: async () => (await import('./folders.ts')).folders,
  users: async () => (await import('./users.ts')).users,
  workspace: async () => (await import('./workspace.ts')).workspace,
};

export function loadHandlers(resource: Resource): Promise<HandlersOf<Resource>> {
  return LOADERS[resource]();
}
