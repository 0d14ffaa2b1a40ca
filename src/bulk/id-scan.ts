import { BitSet } from './bit-set.ts';

/**
 * Finds ids in the JSON text of records without parsing it: what stands in quotes behind the first `"userId":`. Whether
 * that is the id is tried for every record while all of them are parsed; where it is not, none is found.
 */
export class IdScan {
  readonly #field: string;
  /** The field's name, the colon and the opening quote, spaced as in the first record. */
  #opening: string | undefined;
  /** The positions of records that are misread. */
  readonly #misread = new BitSet();

  constructor(field: string) {
    this.#field = JSON.stringify(field);
  }

  /** Tries a record whose id is known, at a position within the file. */
  learn(text: string, index: number, id: unknown): void {
    this.#opening ??= this.#openingIn(text);
    if (this.#scan(text) !== id) this.#misread.add(index);
  }

  find(text: string, index: number): string | undefined {
    return this.#misread.has(index) ? undefined : this.#scan(text);
  }

  #openingIn(text: string): string | undefined {
    const from = text.indexOf(this.#field);
    const space = /^\s*:\s*"/.exec(text.slice(from + this.#field.length));
    return from === -1 || !space ? undefined : this.#field + space[0];
  }

  #scan(text: string): string | undefined {
    if (this.#opening === undefined) return undefined;
    const at = text.indexOf(this.#opening);
    if (at === -1) return undefined;
    const from = at + this.#opening.length;
    return text.slice(from, text.indexOf('"', from));
  }
}
