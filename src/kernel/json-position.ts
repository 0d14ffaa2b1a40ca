const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/gs;

interface Container {
  readonly isList: boolean;
  key: string | number;
  expectsKey: boolean;
}

/**
 * Finds the offset of the value at a path in a valid JSON text. If the value does not exist,
 * returns the offset of the innermost existing value on the path.
 */
export function locateJsonValue(text: string, path: readonly (string | number)[]): number {
  const open: Container[] = [];
  let deepest = 0;
  let depth = -1;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const current = open.at(-1);
    if (token === '}' || token === ']') open.pop();
    else if (token === ',') advance(current);
    else if (current?.expectsKey) current.key = JSON.parse(token);
    else if (token === ':') continue;
    else {
      const isOnPath = open.length <= path.length && open.every(({ key }, at) => key === path[at]);
      if (isOnPath && open.length > depth) [deepest, depth] = [index, open.length];
      if (token === '{' || token === '[') open.push(createContainer(token));
    }
    if (current?.expectsKey && token.startsWith('"')) current.expectsKey = false;
  }
  return deepest;
}

function createContainer(token: string): Container {
  const isList = token === '[';
  return { isList, key: isList ? 0 : '', expectsKey: !isList };
}

function advance(container: Container | undefined): void {
  if (container?.isList) container.key = Number(container.key) + 1;
  else if (container) container.expectsKey = true;
}

/** Returns the line and the column of an offset, both from 1. */
export function formatTextPosition(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}
