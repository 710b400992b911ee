/** What this folder needs of the server's logger (pino has this shape). Tokens and secrets never go into it. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
