import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { STORED_OPTIONS } from '../../catalog/bulk-options.ts';
import { SvcError } from '../../kernel/errors.ts';

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>) {
  const { data, error } = STORED_OPTIONS.safeParse(options);
  if (data) return data;
  const [issue] = error.issues;
  const name = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new SvcError(
    'local',
    `job ${job} has an option that this version of svc cannot read: ${name}`,
    {
      hint: 'resume the job with the version that started it',
    },
  );
}
