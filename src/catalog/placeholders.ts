export function warnAboutPlaceholders(
  field: string,
  template: string | undefined,
  kind: '{x}' | '{{x}}',
): string[] {
  if (template === undefined) return [];
  const doubled = template.match(/\{\{\s*\w+\s*\}\}/g) ?? [];
  const single = template.match(/(?<!\{)\{\s*\w+\s*\}(?!\})/g) ?? [];
  const unreplaced = kind === '{x}' ? doubled : single;
  return unreplaced.map(
    (placeholder) => `${field}: ${placeholder} is not replaced; write placeholders as ${kind}`,
  );
}
