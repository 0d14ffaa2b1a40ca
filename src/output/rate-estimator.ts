/** Time in seconds after which the weight of past work drops to about a third. */
const TIME_CONSTANT = 10;

/** Estimates a rate as an exponentially weighted average. */
export function createRateEstimator(start: number, startDone: number) {
  let [lastTime, lastDone] = [start, startDone];
  let [weightedDone, weightedSeconds] = [0, 0];
  /** Returns units per second. `now` is in milliseconds. */
  return (now: number, done: number): number => {
    const seconds = Math.max(0, now - lastTime) / 1000;
    const kept = Math.exp(-seconds / TIME_CONSTANT);
    weightedDone = weightedDone * kept + (done - lastDone);
    weightedSeconds = weightedSeconds * kept + seconds;
    [lastTime, lastDone] = [now, done];
    return weightedSeconds > 0 ? weightedDone / weightedSeconds : 0;
  };
}
