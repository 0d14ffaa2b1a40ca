export const YAML_NULL = /^(?:~|[Nn]ull|NULL)?$/;
export const YAML_BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
/**
 * Matches a number in JSON syntax. Other YAML numbers (`0123`, `0x10`, `.5`) are text, because an
 * ID can look like one.
 */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): number | boolean {
    return YAML_BOOLEAN.test(this.text) ? /^t/i.test(this.text) : Number(this.text);
  }
}
