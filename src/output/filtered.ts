import { safeJson } from '../kernel/safe-text.ts';
import type { Renderer } from './renderer.ts';

/** Turns the JSON text of a result into the text to print. */
export type FilterText = (json: string) => Promise<string>;

/** A JSON format whose whole text goes through a filter before it is printed. */
export function filteredRenderer(json: Renderer, filter: FilterText, isTerminal: boolean): Renderer {
  const filtered = async (text: string) => {
    const made = await filter(text);
    return isTerminal ? safeJson(made) : made;
  };
  return {
    async *records(pages) {
      const texts: string[] = [];
      for await (const text of json.records(pages)) texts.push(text);
      yield await filtered(texts.join(''));
    },
    value: async (value) => filtered(await json.value(value)),
  };
}
