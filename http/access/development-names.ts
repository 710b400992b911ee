/** Names that clients of the development provider need. This file does not load the provider. */
export const DEVELOPMENT_PATH = '/oidc';
export const DEVELOPMENT_CLIENT_ID = 'troupe-cli';
