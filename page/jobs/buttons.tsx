import type { ComponentChildren } from 'preact';
import { send } from '../kit/api.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { Risky } from '../kit/parts.tsx';
import type { JobInfo } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** The actions on a job. Each button keeps its position, so that no other button moves under the pointer. */
export function JobButtons({
  job: { jobId, terminal, jobStatus },
  compact = false,
  onChange,
  onGone,
}: {
  readonly job: Pick<JobInfo, 'jobId' | 'terminal' | 'jobStatus'>;
  /** Show icons only, for lists. */
  readonly compact?: boolean;
  /** Called when the job was started again. */
  readonly onChange?: () => void;
  /** Called when the job was deleted. */
  readonly onGone?: () => void;
}) {
  const path = `rest/jobs/${encodeURIComponent(jobId)}`;
  const again = async (verb: string, body?: object) => {
    await send('POST', `${path}/${verb}`, body);
    onChange?.();
  };
  const isCancelling = jobStatus === 'CANCELLING';
  return (
    <span class={compact ? 'slots compact' : 'slots'}>
      <span class="place">
        <Slot
          isUsed={terminal && jobStatus === 'ERROR'}
          icon="retry"
          text={TEXT.jobs.retryFailedWork}
          compact={compact}
        >
          {{
            ask: TEXT.jobs.runWhatFailedInAgain(jobId),
            act: () => again('retry', { what: 'FAILED_SUB_JOBS' }),
          }}
        </Slot>
        <Slot
          isUsed={!terminal}
          icon="stop"
          text={isCancelling ? TEXT.jobs.cancelling : TEXT.jobs.cancel}
          compact={compact}
        >
          {{
            ask: TEXT.jobs.cancelWhatItHasFound(jobId),
            act: () => send('POST', `${path}/cancel`),
          }}
        </Slot>
      </span>
      <Slot isUsed={terminal} icon="again" text={TEXT.jobs.runAgain} compact={compact}>
        {{
          ask: TEXT.jobs.runAgainFromTheStart(jobId),
          act: () => again('resubmit'),
        }}
      </Slot>
      <Slot isUsed={terminal} icon="delete" text={TEXT.common.delete} compact={compact}>
        {{
          ask: TEXT.jobs.deleteWithEverythingThatIt(jobId),
          act: async () => {
            await send('DELETE', path);
            onGone?.();
          },
        }}
      </Slot>
    </span>
  );
}

interface Deed {
  readonly ask: string;
  readonly act: () => Promise<unknown>;
}

/** The position of a button. It stays empty while the button has no use. */
function Slot({
  isUsed,
  icon,
  text,
  compact,
  children: { ask, act },
}: {
  readonly isUsed: boolean;
  readonly icon: IconName;
  readonly text: string;
  readonly compact: boolean;
  readonly children: Deed;
}) {
  const shown: ComponentChildren = compact ? <Icon name={icon} size={16} /> : text;
  return (
    <span class={isUsed ? 'slot' : 'slot unused'}>
      <Risky ask={ask} act={act} label={text} isDisabled={!isUsed}>
        {shown}
      </Risky>
    </span>
  );
}
