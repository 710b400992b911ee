import { urlOf } from '../../kit/api.ts';
import { fileName } from '../../kit/format.ts';
import { hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import { storedSize, turnPicture } from '../../viewer/boxes/overlay.ts';
import type { Medium } from '../../viewer/types.ts';
import { CropPicture } from '../crop.tsx';
import type { Crop } from './like.ts';

interface CropProps {
  readonly crop: Crop;
  readonly medium: Medium;
}

/** The part of a picture that findings are compared with. It leads to its frame in the viewer. */
export function ComparedCrop({ crop: { jobId, mediaId, frame, atMs, box }, medium }: CropProps) {
  const stored = storedSize(medium);
  const { width, height } = stored === undefined ? NO_SIZE : turnPicture(stored, medium.metadata);
  const path = `rest/jobs/${encodeURIComponent(jobId)}/media/${mediaId}/frames/${frame}.jpg`;
  const picture = (isSmall: boolean) => urlOf(path, isSmall ? { small: true } : {});
  return (
    <ul class="hits grid like" aria-label={TEXT.search.comparedWith}>
      <li>
        <a class="tile" href={hrefOf(['jobs', jobId, 'media', mediaId], { t: atMs })}>
          <span class="shot">
            <CropPicture {...{ box, width, height, picture }} hue="hue-1" />
          </span>
          <small>{TEXT.search.partOf(fileName(medium.uri))}</small>
        </a>
      </li>
    </ul>
  );
}

const NO_SIZE = { width: null, height: null };
