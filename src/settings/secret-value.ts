/** Source of a secret: an environment variable, or a file with an absolute path. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** A secret of a settings file. Only `reveal` returns the secret; JSON contains the reference instead. */
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
