/** Errors between client and service. Each message says what to do. */
export class ClientError extends Error {
  /** True if the service may have started to process the request. The result is unknown. */
  readonly begun: boolean;
  constructor(message: string, { begun = false }: { readonly begun?: boolean } = {}) {
    super(message);
    this.name = 'ClientError';
    this.begun = begun;
  }
}

/** The service refused the request. */
export class RefusedError extends ClientError {
  readonly status: number;
  /** The stable name of the error. Undefined if the answer has none. */
  readonly code: string | undefined;
  constructor(status: number, message: string, code?: string) {
    super(message);
    this.code = code;
    this.name = 'RefusedError';
    this.status = status;
  }
}

/** An upload is not complete; `upload(file, { resume: uploadId })` resumes it within a day. */
export class IncompleteError extends ClientError {
  readonly uploadId: string;
  constructor(uploadId: string, reason: string) {
    super(`The upload ${uploadId} is not complete: ${reason}`, { begun: true });
    this.name = 'IncompleteError';
    this.uploadId = uploadId;
  }
}

/** No service answers at the address, after all retries. */
export class UnreachableError extends ClientError {
  /** `work`: name of the accepted work, such as `job vm-1`. */
  constructor(url: string, work?: string) {
    if (work === undefined)
      super(`No service answers at ${url}: start it (troupe serve), or check the address.`);
    else
      super(`The service at ${url} has stopped: ${work} resumes when the service starts again.`, {
        begun: true,
      });
    this.name = 'UnreachableError';
  }
}

/** Returns the message of an error. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
