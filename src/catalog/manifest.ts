import { manifestTexts } from './manifest-texts.ts';
import type { OperationEntry } from './operation-entry.ts';

export type { OperationEntry } from './operation-entry.ts';

/** Every operation of the catalog. Who needs one alone reads its text. */
export const manifest: readonly OperationEntry[] = Object.values(manifestTexts).map((text) => JSON.parse(text));
