/** Actions on the selected findings. */
import { countText } from '../kit/format.ts';
import { ExportButton } from '../kit/exports.tsx';
import { Menu } from '../kit/menu.tsx';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import { saveFile } from '../kit/selection/save-file.ts';
import type { Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { LabelForm } from '../jobs/label-form.tsx';
import { hasOutcome, OperationOutcome, useOperation } from '../jobs/operation.tsx';
import { openAnalysis } from '../new/open-analysis.ts';
import type { Hit } from '../kit/findings/types.ts';
import { csvOf, jsonOf } from './hit-export.ts';

export function HitBar({ of: selection, hits }: { readonly of: Selection; readonly hits: readonly Hit[] }) {
  const { last, busy, act, dismiss } = useOperation();
  // Findings of a camera belong to no medium and no batch job.
  const stored = hits.filter(({ stream }) => stream === null);
  const media = [...new Set(stored.map(({ mediaUri }) => mediaUri))];
  const ids = [...new Set(stored.map(({ jobId }) => jobId))];
  return (
    <SelectionBar
      of={selection}
      label={TEXT.search.selectedFindings}
      text={TEXT.kit.selected(countText(hits.length, TEXT.common.finding))}
      outcome={hasOutcome(last) && <OperationOutcome of={last} />}
      dismiss={dismiss}
    >
      <Menu label={TEXT.kit.export} className="exports from-left" button={<ExportButton hasIcon />}>
        <button type="button" onClick={() => saveFile('findings.csv', 'text/csv', csvOf(hits))}>
          {TEXT.kit.spreadsheetCsv}
        </button>
        <button type="button" onClick={() => saveFile('findings.json', 'application/json', jsonOf(hits))}>
          {TEXT.kit.everythingJson}
        </button>
      </Menu>
      <BarButton
        icon="plus"
        text={TEXT.search.analyzeMedia(countText(media.length, TEXT.jobs.medium, TEXT.jobs.media))}
        isDisabled={media.length === 0}
        act={() => openAnalysis({ links: media })}
      />
      {ids.length > 0 && <LabelForm isBusy={busy} act={(deed) => act(deed, { ids })} />}
    </SelectionBar>
  );
}
