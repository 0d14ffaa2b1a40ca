/** Name of the operation of jobs that apply a plan. */
export const APPLY = 'apply';

/** Noun for a record of an apply job. */
export const CHANGE = 'change';
