import type * as z from 'zod/mini';

type MessagePart = string | { readonly field: string };
export type NameField = (field: string) => string;

/**
 * Template tag for the message of an issue whose fields each caller names in its own terms:
 * fieldMessage`specify ${{ field: 'documentId' }} or ${{ field: 'folderId' }}, not both`.
 */
export function fieldMessage(texts: TemplateStringsArray, ...values: readonly MessagePart[]) {
  const parts = texts.flatMap((text, at): readonly MessagePart[] => [text, values[at] ?? '']);
  return { message: formatParts(parts, (field) => field), params: { parts } };
}

export function formatIssueMessage(issue: z.core.$ZodIssue, nameField?: NameField): string {
  const parts: readonly MessagePart[] | undefined =
    issue.code === 'custom' ? issue.params?.['parts'] : undefined;
  return nameField && parts ? formatParts(parts, nameField) : issue.message;
}

function formatParts(parts: readonly MessagePart[], nameField: NameField): string {
  return parts.map((part) => (typeof part === 'string' ? part : nameField(part.field))).join('');
}
