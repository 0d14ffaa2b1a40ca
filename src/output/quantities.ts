/** Formats a number with separators: `1,234,567`, `0.5`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size: `812 B`, `1.2 MB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.max(
    0,
    Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)),
  );
  const value = bytes / 1000 ** step;
  return `${step > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[step]}`;
}

/** Formats a remaining time, rounded up: `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Formats an elapsed time: `0.4 s`, `12 s`, `3 min 5 s`. Only zero is `0 s`. */
export function formatElapsed(seconds: number): string {
  if (seconds >= 10) return formatDuration(Math.round(seconds));
  return `${seconds === 0 ? 0 : Math.max(1, Math.round(seconds * 10)) / 10} s`;
}

/** Formats a latency: `0.4 ms`, `12 ms`, `1.3 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 1000) return formatElapsed(milliseconds / 1000);
  return `${milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds)} ms`;
}

/** Formats an RFC 3339 time to the second: `2026-03-01 12:00:05 UTC`. */
export function formatTimestamp(moment: string): string {
  return moment.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
}
