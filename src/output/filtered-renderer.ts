import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Renderer } from './renderer.ts';

export type FilterText = (json: string) => Promise<string>;

export function createFilteredRenderer(json: Renderer, filter: FilterText, isTerminal: boolean): Renderer {
  const filtered = async (text: string) => {
    const output = await filter(text);
    return isTerminal ? escapeJsonForTerminal(output) : output;
  };
  return {
    async *records(pages) {
      yield await filtered((await Array.fromAsync(json.records(pages))).join(''));
    },
    value: async (value) => filtered(await json.value(value)),
  };
}
