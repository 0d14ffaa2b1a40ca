import type { Sink } from '../../kernel/io.ts';

/** Creates a sink in memory, because stdout and stderr belong to the MCP transport. */
export function createMemorySink(
  onWrite: (text: string) => void = () => undefined,
): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    get stream(): never {
      throw new TypeError('a tool result has no stream');
    },
    write: async (text) => {
      chunks.push(Buffer.from(text));
      onWrite(String(text));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
