import { urlOf, type Query } from './api.ts';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { TEXT } from './text.ts';

/** The purpose of an export, and the name of its format. */
interface Offer {
  readonly format: string;
  readonly name: string;
  readonly pictures?: true;
}

const REPORT: readonly Offer[] = [{ format: 'html', name: TEXT.kit.reportToShareOrPrint }];
const TABLES: readonly Offer[] = [
  { format: 'csv', name: TEXT.kit.spreadsheetCsv },
  { format: 'parquet', name: TEXT.kit.dataAnalysisParquet },
  { format: 'ndjson', name: TEXT.kit.programsNdjson },
];
const TRAINING: readonly Offer[] = [
  { format: 'labelstudio', name: TEXT.kit.correctInLabelStudio },
  { format: 'yolo', name: TEXT.kit.trainAModelYolo },
  { format: 'yolo', name: TEXT.kit.trainAModelWithPictures, pictures: true },
  { format: 'coco', name: TEXT.kit.trainAModelCoco },
];
const CVAT: readonly Offer[] = [{ format: 'cvat', name: TEXT.kit.correctInCvat }];
const SUBTITLES: readonly Offer[] = [
  { format: 'vtt', name: TEXT.kit.subtitlesWebvtt },
  { format: 'srt', name: TEXT.kit.subtitlesSubrip },
];
const DOCUMENT: readonly Offer[] = [{ format: 'json', name: TEXT.kit.everythingJson }];

interface Found {
  readonly mediaType: string;
  readonly cues: number;
}

/** True if the medium can have boxes: only pictures and videos can. */
const isSeen = ({ mediaType }: Pick<Found, 'mediaType'>) => mediaType === 'VIDEO' || mediaType === 'IMAGE';

/** The export formats of one medium. */
export const offersOfMedium = (medium: Found): readonly Offer[] => [
  ...REPORT,
  ...(medium.cues > 0 ? SUBTITLES : []),
  ...TABLES,
  ...(isSeen(medium) ? [...CVAT, ...TRAINING] : []),
];

/** The export formats of a job. */
export const offersOfJob = (media: readonly Found[]): readonly Offer[] => [
  ...REPORT,
  ...TABLES,
  ...(media.some(isSeen) ? TRAINING : []),
  ...DOCUMENT,
];

/** The export formats of several jobs. */
export const offersOfJobs: readonly Offer[] = [...TABLES, ...TRAINING];

/** The button that opens a menu of downloads. In a bar it has an icon, like the other buttons. */
export const ExportButton = ({ hasIcon }: { readonly hasIcon: boolean }) => (
  <span class={hasIcon ? 'button deed' : 'button'}>
    {hasIcon && <Icon name="download" size={16} />}
    <span>{TEXT.kit.export}</span>
  </span>
);

/** A menu of downloads. `first`: entries before the exports. `isLeft`: true if the button is on the left of a bar. */
export function ExportMenu({
  path,
  query,
  offers,
  first,
  isLeft = false,
}: {
  readonly path: string;
  readonly query?: Query;
  readonly offers: readonly Offer[];
  readonly first?: { readonly href: string; readonly name: string };
  readonly isLeft?: boolean;
}) {
  return (
    <Menu
      label={TEXT.kit.export}
      className={isLeft ? 'exports from-left' : 'exports'}
      button={<ExportButton hasIcon={isLeft} />}
    >
      {first !== undefined && (
        <a href={first.href} download>
          {first.name}
        </a>
      )}
      {offers.map(({ format, name, pictures }) => (
        <a key={name} href={urlOf(path, { format, pictures, ...query })} download>
          {name}
        </a>
      ))}
    </Menu>
  );
}
