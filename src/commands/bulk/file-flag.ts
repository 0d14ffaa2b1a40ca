import type { OptionDefinition } from '../definition.ts';

/** Where records come from; several files are read one after another. */
export const FILE_FLAG: OptionDefinition = {
  flags: '--file <path>',
  describes: "records: JSON, NDJSON, CSV or YAML; '-' is stdin; several times for several files",
  many: true,
};
