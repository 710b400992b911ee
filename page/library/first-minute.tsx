import { useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { Problem } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { upload } from '../new/upload.ts';
import { openAnalysis } from '../new/open-analysis.ts';
import { TEXT } from '../kit/text.ts';

interface Sample {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly pipelineName: string;
}

/** Analyses of sample media that are part of the server. */
const SAMPLES: readonly Sample[] = [
  {
    name: 'face_move.mp4',
    title: TEXT.library.facesInAVideo,
    icon: 'face',
    pipelineName: 'FACE DETECTION PIPELINE',
  },
  {
    name: 'race.jpg',
    title: TEXT.library.thingsInAPhoto,
    icon: 'person',
    pipelineName: 'OBJECT DETECTION PIPELINE',
  },
  {
    name: 'text.png',
    title: TEXT.library.textInAPicture,
    icon: 'text',
    pipelineName: 'TEXT DETECTION PIPELINE',
  },
];

/** First steps, shown in an empty library and an empty list of jobs. */
export function FirstMinute() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const start = async ({ name, pipelineName }: Sample) => {
    setBusy(true);
    try {
      const response = await fetch(new URL(`../samples/${name}`, import.meta.url));
      if (!response.ok) throw new Error(TEXT.library.theSampleCouldNotBe);
      const file = new File([await response.blob()], name, {
        type: response.headers.get('Content-Type') ?? '',
      });
      const { mediaUri } = await upload(file, () => undefined, new AbortController().signal);
      const { jobId } = await send<{ readonly jobId: string }>('POST', 'rest/jobs', {
        media: [{ mediaUri }],
        pipelineName,
      });
      go(hrefOf(['jobs', jobId]));
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <div class="empty first">
      <h2>{TEXT.library.seeWhatIsInYour}</h2>
      <p>{TEXT.library.dropFilesAnywhereOnThis}</p>
      <p>
        <button type="button" class="primary big" onClick={() => openAnalysis()}>
          <Icon name="upload" /> {TEXT.common.chooseFiles}
        </button>
      </p>
      <h3>{TEXT.library.tryASampleOrWatch}</h3>
      <div class="card-grid">
        {SAMPLES.map((sample) => (
          <button
            key={sample.name}
            type="button"
            class="card"
            disabled={busy}
            onClick={() => void start(sample)}
          >
            <Icon name={sample.icon} size={28} />
            <span>{sample.title}</span>
          </button>
        ))}
        <a class="card" href={hrefOf(['streams'])}>
          <Icon name="live" size={28} />
          <span>{TEXT.library.connectACamera}</span>
        </a>
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
