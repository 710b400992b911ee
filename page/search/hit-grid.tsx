import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection } from '../kit/selection/use-selection.ts';
import { fileName } from '../kit/format.ts';
import { findingName } from '../library/labels.ts';
import { TEXT } from '../kit/text.ts';
import { HitBar } from './hit-bar.tsx';
import type { Hit } from '../kit/findings/types.ts';
import { HitTile } from './hit.tsx';
import { similarToHit } from '../kit/findings/similar-address.ts';

interface Shown {
  readonly hit: Hit;
  readonly similarity?: number;
}

const keyOf = ({ jobId, mediaId, trackId, startOffsetFrame }: Hit): string =>
  `${jobId} ${mediaId} ${trackId} ${startOffsetFrame}`;

interface GridProps {
  readonly of: readonly Shown[];
  /** True if the server can compare crops of pictures. */
  readonly canCrop: boolean;
}

/** Hits side by side, with actions on several of them. */
export function HitGrid({ of: shown, canCrop }: GridProps) {
  const selection = useSelection(shown.map(({ hit }) => keyOf(hit)).map((key) => ({ key, id: key })));
  const hits = shown.map(({ hit }) => hit);
  return (
    <div {...selection.list}>
      <HitBar of={selection} hits={hits.filter((hit) => selection.has(keyOf(hit)))} />
      <ul class="hits grid">
        {shown.map(({ hit, ...rest }) => (
          <li key={keyOf(hit)} class="item">
            <HitTile hit={hit} {...rest} similarAt={similarToHit(hit, canCrop)} />
            <CheckField
              of={selection}
              place={keyOf(hit)}
              label={TEXT.search.selectFinding(nameOf(hit), fileName(hit.mediaUri))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Number of letters of a text that are shown as its name. */
const LETTERS = 60;

const nameOf = (hit: Hit): string =>
  hit.person?.name ?? (hit.snippet.text.slice(0, LETTERS) || findingName(hit));
