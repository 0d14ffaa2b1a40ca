import { IN_MEMORY, locateRequestFile } from '../../store/location.ts';
import type { RequestFile } from './request-file.ts';

export interface LazyRequestFile {
  open(): Promise<RequestFile>;
  close(): Promise<void>;
}

/**
 * Opens the log of a store on first use. If its file is not usable, the log is kept in memory.
 * @param folder folder for the logs of databases (default: in memory)
 */
export function createLazyFile(
  location: string,
  folder: string | undefined,
  report: (error: unknown) => void = () => undefined,
): LazyRequestFile {
  let opened: Promise<RequestFile> | undefined;
  const open = async () => {
    const { openRequestFile } = await import('./request-file.ts');
    return openRequestFile(locateRequestFile(location, folder)).catch((error: unknown) => {
      report(error);
      return openRequestFile(IN_MEMORY);
    });
  };
  return {
    open: () => {
      opened ??= open();
      return opened;
    },
    close: async () => {
      const file = opened;
      opened = undefined;
      (await file)?.close();
    },
  };
}
