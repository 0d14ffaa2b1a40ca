/** Name of the operation of jobs that apply a plan. */
export const APPLY = 'apply';
export const CHANGE = 'change';
