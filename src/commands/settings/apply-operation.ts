export const APPLY = 'apply';
export const CHANGE = 'change';
