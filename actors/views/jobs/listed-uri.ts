import { maskUri, withoutData } from '../../../domain/job/censor.ts';

/** Maximum number of characters of a data: URI in lists. A longer one may be as large as a request and is cut to its type. */
const LISTED = 8_192;

/** The URI of a medium in lists and for filters. */
export const listedUri = (uri: string): string =>
  uri.length > LISTED && /^data:/i.test(uri) ? withoutData(uri) : maskUri(uri);
