/** The picture that findings are to be like, from where it is chosen to where they are shown. A file has no place in an address. */
import { send } from '../kit/api.ts';
import { go, hrefOf } from '../kit/route.ts';
import { upload } from '../new/upload.ts';

let chosen: File | undefined;

export function choosePicture(file: File): void {
  chosen = file;
  go(hrefOf(['search', 'similar'], { picture: file.name, n: Date.now() }));
}

/** undefined: the page was loaded again since. */
export const chosenPicture = (name: string | null): File | undefined =>
  chosen?.name === name ? chosen : undefined;

/** Gives the server a picture for as long as `use` takes. */
export async function withUpload<T>(
  file: File,
  signal: AbortSignal,
  use: (mediaUri: string) => Promise<T>,
): Promise<T> {
  const { id, mediaUri } = await upload(file, () => undefined, signal);
  try {
    return await use(mediaUri);
  } finally {
    // What is left is deleted by the server later.
    send('DELETE', `rest/media/${encodeURIComponent(id)}`).catch(() => undefined);
  }
}
