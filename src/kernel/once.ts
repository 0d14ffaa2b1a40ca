/** Makes a value when it is first asked for; from then on it is that one, also where it is a promise that was rejected. */
export function once<Given extends readonly unknown[], Value>(make: (...given: Given) => Value) {
  let made: { readonly value: Value } | undefined;
  return (...given: Given): Value => {
    made ??= { value: make(...given) };
    return made.value;
  };
}
