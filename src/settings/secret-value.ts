/** Source of a secret: an environment variable, or a file with an absolute path. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** Key of the object that plans contain in place of a secret: `{"$secret": reference}`. */
export const SECRET_MARKER = '$secret';

/** Formats a reference as `env:TOKEN` or `file:/run/token`. */
export function formatReference(reference: SecretReference): string {
  return 'env' in reference ? `env:${reference.env}` : `file:${reference.file}`;
}

/** Parses the text of `formatReference`. */
export function parseReference(text: string): SecretReference {
  const [, kind, source = ''] = /^(env|file):(.*)$/s.exec(text) ?? [];
  return kind === 'env' ? { env: source } : { file: source };
}

/**
 * A secret of a settings file. Only `reveal` returns the secret; JSON contains the reference
 * instead.
 */
export class SecretValue {
  readonly reference: SecretReference;
  readonly #value: string;

  constructor(reference: SecretReference, value: string) {
    this.reference = reference;
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toJSON(): SecretReference {
    return this.reference;
  }
}
