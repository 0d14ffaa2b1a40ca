import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MEGABYTE = 1024 * 1024;

/** Megabytes that a stream gets by with, at the speed that it has with more. */
const ENOUGH = 16;

const MILLISECONDS_BETWEEN_LOOKS = 20;

interface Heap {
  /** The size of the space for young objects, in bytes. */
  youngSpace(): number;
  setFlag(flag: string): void;
  /** Collects all garbage, and hands free pages to the system. */
  giveBack(): void;
}

const thisHeap: Heap = {
  youngSpace: () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0,
  setFlag: setFlagsFromString,
  giveBack,
};

/**
 * Keeps the heap of a process that streams at one size, however long the stream is: left alone V8 lets garbage grow to
 * several times of what is in use before it collects.
 */
export function keepHeapSmall(heap: Pick<Heap, 'youngSpace' | 'setFlag'> = thisHeap): void {
  heap.setFlag('--heap-growing-percent=100');
  limitYoungSpace(ENOUGH, heap);
}

/**
 * Keeps the space for young objects at about so many megabytes. Left alone it grows to 128 in a process that streams for
 * long enough, needed or not. V8 takes a limit only when it starts; what it looks up each time is how fast to grow.
 */
export function limitYoungSpace(megabytes = ENOUGH, heap: Pick<Heap, 'youngSpace' | 'setFlag'> = thisHeap): void {
  const timer = setInterval(() => {
    if (heap.youngSpace() < megabytes * MEGABYTE) return;
    clearInterval(timer);
    heap.setFlag('--semi-space-growth-factor=1');
  }, MILLISECONDS_BETWEEN_LOOKS);
  timer.unref();
}

/** What makes code fast, and takes room for itself: 8 MB of V8's compilers alone. */
const COMPILERS = ['opt', 'maglev'];

/** A process that will mostly wait. */
export interface Waiting {
  /** To be called once it is ready: gives back what only starting took. Some 20 milliseconds. */
  ready(): void;
  /** To be called when there is work, each time: from the first on V8 optimizes as ever. */
  work(): void;
}

/** Keeps a process that will mostly wait from growing while it starts, which runs most code only once. */
export function startSmall(heap = thisHeap): Waiting {
  for (const compiler of COMPILERS) heap.setFlag(`--no-${compiler}`);
  heap.setFlag('--semi-space-growth-factor=1');
  let isSmall = true;
  return {
    ready() {
      if (isSmall) heap.giveBack();
    },
    work() {
      if (!isSmall) return;
      isSmall = false;
      for (const compiler of COMPILERS) heap.setFlag(`--${compiler}`);
      heap.setFlag('--semi-space-growth-factor=2');
      limitYoungSpace(ENOUGH, heap);
    },
  };
}

/** V8 would wait for a pause of seconds, which a process that looks around twice a second never makes. */
function giveBack(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
