import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const MEGABYTE = 1024 * 1024;
/** Megabytes that a stream gets by with, at the speed that it has with more. */
const ENOUGH = 16;

const MILLISECONDS_BETWEEN_LOOKS = 20;

interface Heap {
  /** The size of the space for young objects, in bytes. */
  youngSpace(): number;
  setFlag(flag: string): void;
}

const thisHeap: Heap = {
  youngSpace: () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0,
  setFlag: setFlagsFromString,
};

/**
 * Keeps the space for young objects at about so many megabytes, for a process that streams. Left alone it grows to 128 in a process that streams for
 * long enough, needed or not, so that a long stream takes far more memory than a short one. V8 takes a limit only when it
 * starts; what it looks up each time is how fast to grow.
 */
export function limitYoungSpace(megabytes = ENOUGH, heap = thisHeap): void {
  const timer = setInterval(() => {
    if (heap.youngSpace() < megabytes * MEGABYTE) return;
    clearInterval(timer);
    heap.setFlag('--semi-space-growth-factor=1');
  }, MILLISECONDS_BETWEEN_LOOKS);
  timer.unref();
}
