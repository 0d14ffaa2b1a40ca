/**
 * Picks one of the operations that share a path: the one whose distinguishing field `data` holds, otherwise the one without such a field.
 * @param data the parsed `data` of a request, of any type
 */
export function operationFor<Candidate extends { readonly chosenBy?: string | undefined }>(
  onPath: readonly Candidate[],
  data: unknown,
): Candidate | undefined {
  const holds = (field: string) => typeof data === 'object' && data !== null && Object.hasOwn(data, field);
  return (
    onPath.find(({ chosenBy }) => chosenBy !== undefined && holds(chosenBy)) ??
    onPath.find(({ chosenBy }) => chosenBy === undefined)
  );
}
