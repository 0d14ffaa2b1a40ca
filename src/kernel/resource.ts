/** Passes a resource to `work`, and closes the resource when the work has ended or failed. */
export async function closeAfter<Resource extends { close(): unknown }, Result>(
  resource: Resource,
  work: (resource: Resource) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work(resource);
  } finally {
    await resource.close();
  }
}
