/** The nothing of YAML: an absent value. */
export const NOTHING = /^(?:~|[Nn]ull|NULL)?$/;
/** True and false of YAML. */
export const SWITCH = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
/** A number as JSON writes it. What else YAML takes for one (`0123`, `0x10`, `.5`) is text: an ID may look like it. */
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number, or true or false, as YAML holds it without quotes. It is text where its field asks for text. */
export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The number, true or false. */
  get value(): number | boolean {
    return SWITCH.test(this.text) ? /^t/i.test(this.text) : Number(this.text);
  }
}

/** What a scalar without quotes is: null, a plain scalar, or text. */
export function plainValue(text: string): PlainScalar | string | null {
  if (NOTHING.test(text)) return null;
  return SWITCH.test(text) || NUMBER.test(text) ? new PlainScalar(text) : text;
}
