/** Shown instead of a secret. At most its last 4 characters, and those only of a secret of 20 characters or more. */
export function maskSecret(secret: string): string {
  if (secret === '') return '';
  return secret.length >= 20 ? `****${secret.slice(-4)}` : '****';
}

/** Replaces every occurrence of the given secrets in a text: as they are, base64-, URL- and JSON-escaped. */
export function redactText(text: string, secrets: Iterable<string>): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const masked = maskSecret(secret);
    for (const form of writtenForms(secret)) redacted = redacted.replaceAll(form, masked);
  }
  return redacted;
}

function writtenForms(secret: string): Set<string> {
  return new Set([
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
}
