export const DOSSIER = 'users.dossier';
export const ORGANIZATION = 'organization';
