import { useEffect, useState } from 'preact/hooks';
import { dateText, fileName } from '../../kit/format.ts';
import { hrefOf } from '../../kit/route.ts';
import { TEXT } from '../../kit/text.ts';
import { storedSize, turnPicture, type Size } from '../../kit/findings/overlay.ts';
import type { Medium } from '../../kit/findings/types.ts';
import { CropPicture } from '../crop.tsx';
import { pictureOf, type Crop } from '../../kit/findings/similar-address.ts';

interface CropProps {
  readonly crop: Crop;
  /** Undefined: the crop is of a camera. */
  readonly medium: Medium | undefined;
}

/** The part of a picture that findings are compared with. It leads to its frame in the viewer, or to its time of the camera. */
export function ComparedCrop({ crop, medium }: CropProps) {
  const { jobId, mediaId, atMs, box } = crop;
  const size = usePictureSize(crop, medium);
  const place =
    medium === undefined
      ? hrefOf(['streams', jobId], { at: atMs })
      : hrefOf(['jobs', jobId, 'media', mediaId], { t: atMs });
  const text =
    medium === undefined
      ? TEXT.search.partOfCamera(dateText(new Date(atMs).toISOString()))
      : TEXT.search.partOf(fileName(medium.uri));
  return (
    <ul class="hits grid like" aria-label={TEXT.search.comparedWith}>
      <li>
        <a class="tile" href={place}>
          <span class="shot">
            <CropPicture {...size} box={box} picture={(isSmall) => pictureOf(crop, isSmall)} hue="hue-1" />
          </span>
          <small>{text}</small>
        </a>
      </li>
    </ul>
  );
}

const NO_SIZE = { width: null, height: null };

/** Returns the size of the whole picture, in pixels as a viewer shows it. That of a camera is known after it was loaded. */
function usePictureSize(crop: Crop, medium: Medium | undefined): Size | typeof NO_SIZE {
  const [loaded, setLoaded] = useState<Size>();
  const url = crop.isLive ? pictureOf(crop) : undefined;
  useEffect(() => {
    if (url === undefined) return;
    const picture = new Image();
    picture.addEventListener('load', () =>
      setLoaded({ width: picture.naturalWidth, height: picture.naturalHeight }),
    );
    picture.src = url;
  }, [url]);
  const stored = medium && storedSize(medium);
  return (stored && turnPicture(stored, medium.metadata)) ?? loaded ?? NO_SIZE;
}
