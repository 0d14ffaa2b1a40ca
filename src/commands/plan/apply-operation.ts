/** Name of the operation of jobs that apply a plan. */
export const APPLY = 'apply';

/** Name of one record of such a job. */
export const CHANGE = 'change';
