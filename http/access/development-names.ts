/** What clients of the development provider need to know of it, and who loads nothing of it. */
export const DEVELOPMENT_PATH = '/oidc';
export const DEVELOPMENT_CLIENT_ID = 'troupe-cli';
