/** Creates a value on first use and caches it, even if it is a rejected promise. */
export function once<Given extends readonly unknown[], Value>(make: (...given: Given) => Value) {
  let made: { readonly value: Value } | undefined;
  return (...given: Given): Value => {
    made ??= { value: make(...given) };
    return made.value;
  };
}
