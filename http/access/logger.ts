/** The part of the server's logger (pino) that this folder uses. Tokens and secrets are never logged. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
