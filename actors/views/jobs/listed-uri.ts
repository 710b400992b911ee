import { maskUri, withoutData } from '../../../domain/job/censor.ts';

/** Characters of a data: URI; of a longer one, which may be as large as a request, only what kind of data it has is told where many are. */
const LISTED = 8_192;

/** The URI of a medium as lists show it and as filters compare it. */
export const listedUri = (uri: string): string =>
  uri.length > LISTED && /^data:/i.test(uri) ? withoutData(uri) : maskUri(uri);
