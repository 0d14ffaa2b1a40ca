/** A warning for placeholders that the service would print as they are: notifications take `{x}`, activities `{{x}}`. */
export function placeholderWarnings(field: string, template: string | undefined, kind: '{x}' | '{{x}}'): string[] {
  if (template === undefined) return [];
  const doubled = template.match(/\{\{\s*\w+\s*\}\}/g) ?? [];
  const single = template.match(/(?<!\{)\{\s*\w+\s*\}(?!\})/g) ?? [];
  const wrong = kind === '{x}' ? doubled : single;
  return wrong.map((placeholder) => `${field}: ${placeholder} stays as it is; placeholders here are written ${kind}`);
}
