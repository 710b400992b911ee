/** Files that a component made of a document become media of their own: kept for good, with ids. */
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

/** Property of a track: the id of the medium that was made with it. */
const DERIVED_ID = 'DERIVATIVE_MEDIA_ID';

export interface Derivation {
  /** The track with the id of its medium in the place of the path. OTHER when there can be no such medium. */
  adopt(track: RawTrack): Promise<RawTrack>;
  media(): readonly DerivedMedium[];
}

/** Undefined when no track brings a medium. */
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
  // A folder for each attempt, since one folder less is made and removed that way.
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

/** Copied, not moved: the work may be done once more. */
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
