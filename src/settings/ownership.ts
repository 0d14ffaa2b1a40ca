/**
 * Returns the stack that owns an endpoint with a uid: the part before the only dot. An endpoint
 * whose uid has no dot, several, or an empty part belongs to no stack.
 */
export function findOwningStack(uid: unknown): string | undefined {
  return typeof uid === 'string' ? /^([^.]+)\.[^.]+$/.exec(uid)?.[1] : undefined;
}

/** Whether a settings file can declare a uid. Endpoints with another uid are declared by ID. */
export function isDeclarableUid(uid: unknown): boolean {
  return typeof uid === 'string' && (!uid.includes('.') || findOwningStack(uid) !== undefined);
}
