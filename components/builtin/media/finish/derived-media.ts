/** Turns files that a component extracted from a document into permanent media with ids. */
import { constants } from 'node:fs';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWhole, PART } from '../../../../files/part-file.ts';
import { MediumError } from '../../../../media/medium-error.ts';
import { DERIVED_PATH } from '../../../../results/check/check-rules.ts';
import type { Properties } from '../../../../domain/types.ts';
import type { DerivedMedium, FinishWork } from '../../../../protocol/track-work.ts';
import type { RawTrack } from './raw-tracks.ts';

/** Property of a track with the id of its derivative medium. */
const DERIVED_ID = 'DERIVATIVE_MEDIA_ID';

export interface Derivation {
  /** Replaces the path in the track by the id of its medium. Throws OTHER if the file cannot become a medium. */
  adopt(track: RawTrack): Promise<RawTrack>;
  media(): readonly DerivedMedium[];
}

/** Returns undefined if no track has a derivative medium. */
export async function derivation({ derive, medium }: FinishWork): Promise<Derivation | undefined> {
  if (derive === undefined) return undefined;
  if (medium.mediaType !== 'UNKNOWN')
    throw new MediumError(
      'OTHER',
      `Media can be derived from documents only, not from a medium of the type ${medium.mediaType}.`,
    );
  await mkdir(derive.folder, { recursive: true });
  const within = dirname(derive.from);
  const from = join(await realpath(within).catch(() => within), basename(derive.from));
  // Each attempt uses its own folder, whose name starts with `from`. This saves one parent folder.
  const isMade = (path: string) => path.startsWith(`${from}.`);
  const byPath = new Map<string, DerivedMedium>();
  const take = async (path: string): Promise<DerivedMedium> => {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !isMade(real) || !(await stat(real)).isFile())
      throw new MediumError(
        'OTHER',
        'A derivative medium is missing, is not a file, or is outside the outputFolder of the component.',
      );
    const known = byPath.get(real);
    if (known !== undefined) return known;
    if (byPath.size >= derive.most)
      throw new MediumError(
        'OTHER',
        `The job has more derivative media than MAX_DERIVATIVE_MEDIA allows (${derive.most} more were left for this one).`,
      );
    const made = await adoptFile(real, derive.firstMediaId + byPath.size, derive.folder);
    byPath.set(real, made);
    return made;
  };
  return {
    async adopt(track) {
      const path = track.properties[DERIVED_PATH];
      if (path === undefined) return track;
      const { mediaId } = await take(path);
      const renameMedium = (properties: Properties) => withId(properties, mediaId);
      return {
        ...track,
        properties: renameMedium(track.properties),
        detections: track.detections.map((one) => ({ ...one, properties: renameMedium(one.properties) })),
      };
    },
    media: () => [...byPath.values()],
  };
}

/** Copies the file. It is not moved, because the work may be repeated. */
async function adoptFile(real: string, mediaId: number, folder: string): Promise<DerivedMedium> {
  const suffix = /^\.\w{1,10}$/.test(extname(real)) ? extname(real).toLowerCase() : '';
  const path = join(folder, `${mediaId}${suffix}`);
  const copy = (part: string) => copyFile(real, part, constants.COPYFILE_FICLONE);
  await makeWhole(path, copy, { part: `${path}${PART}` });
  return { mediaId, path, uri: pathToFileURL(path).href };
}

function withId({ [DERIVED_PATH]: _, ...properties }: Properties, mediaId: number): Properties {
  return { ...properties, [DERIVED_ID]: String(mediaId) };
}
