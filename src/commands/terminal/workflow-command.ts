/** Text for a workflow command of GitHub Actions, in which three characters have a meaning. */
export function workflowText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
