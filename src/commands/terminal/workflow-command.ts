/** Escapes text for a workflow command of GitHub Actions. */
export function escapeWorkflowText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
