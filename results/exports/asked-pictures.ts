/** Pictures that an export requests from the server, which decodes them in a separate process. */

/** A frame of a medium of the job, upright, as JPEG; or the picture of a detection, by its path below that of the job. */
export type WantedPicture =
  | { readonly job: number; readonly mediaId: number; readonly frame: number; readonly small: boolean }
  | { readonly job: number; readonly artifact: string };

/** Returns undefined if the picture is not available. */
export type PictureSource = (wanted: WantedPicture) => Promise<Uint8Array<ArrayBuffer> | undefined>;
