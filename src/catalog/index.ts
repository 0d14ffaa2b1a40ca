import type { Operation } from './define.ts';

/** The resources of the service, each loaded only by who needs it. */
const LOADERS = {
  'auth-tokens': async () => (await import('./auth-tokens.ts')).authTokens,
  documents: async () => (await import('./documents.ts')).documents,
  folders: async () => (await import('./folders.ts')).folders,
  users: async () => (await import('./users.ts')).users,
  workspace: async () => (await import('./workspace.ts')).workspace,
};

export type Resource = keyof typeof LOADERS;
export const RESOURCES = Object.keys(LOADERS) as readonly Resource[];

/** The operations of one resource, by name. */
export type OperationsOf<Name extends Resource> = Awaited<ReturnType<(typeof LOADERS)[Name]>>;

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;

/** Every operation of the service, by name: `users.add`. */
export type Operations = Intersection<OperationsOf<Resource>>;
export type OperationName = keyof Operations;

export function loadResource<Name extends Resource>(resource: Name): Promise<OperationsOf<Name>> {
  return LOADERS[resource]() as Promise<OperationsOf<Name>>;
}

/** One operation by its resource and name, for callers that go over all of them. */
export async function loadOperation(resource: Resource, name: OperationName): Promise<Operation> {
  const operations: Readonly<Partial<Record<OperationName, Operation>>> = await loadResource(resource);
  const operation = operations[name];
  if (!operation) throw new TypeError(`${resource} has no operation ${name}`);
  return operation;
}
