/** Names that clients of the development provider need, without loading the provider itself. */
export const DEVELOPMENT_PATH = '/oidc';
export const DEVELOPMENT_CLIENT_ID = 'troupe-cli';
