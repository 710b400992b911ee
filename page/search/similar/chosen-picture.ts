/** The picture for a search for similar findings. It is kept in memory, because an address cannot contain a file. */
import { send } from '../../kit/api.ts';
import { go, hrefOf } from '../../kit/route.ts';
import { upload } from '../../new/upload.ts';

let chosen: File | undefined;

export function choosePicture(file: File): void {
  chosen = file;
  go(hrefOf(['search', 'similar'], { picture: file.name, n: Date.now() }));
}

/** Returns undefined if the page was reloaded after the choice. */
export const chosenPicture = (name: string | null): File | undefined =>
  chosen?.name === name ? chosen : undefined;

/** Uploads a picture, and deletes it after `use`. */
export async function withUpload<T>(
  file: File,
  signal: AbortSignal,
  use: (mediaUri: string) => Promise<T>,
): Promise<T> {
  const { id, mediaUri } = await upload(file, () => undefined, signal);
  try {
    return await use(mediaUri);
  } finally {
    // The server deletes remaining uploads later.
    send('DELETE', `rest/media/${encodeURIComponent(id)}`).catch(() => undefined);
  }
}
