import { useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { Icon, type IconName } from '../kit/icons.tsx';
import { Problem } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { upload } from '../new/upload.ts';
import { openAnalysis } from '../new/open-analysis.ts';

interface Sample {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly pipelineName: string;
}

/** Analyses of media that come with the server. */
const SAMPLES: readonly Sample[] = [
  { name: 'face_move.mp4', title: 'Faces in a video', icon: 'face', pipelineName: 'FACE DETECTION PIPELINE' },
  { name: 'race.jpg', title: 'Things in a photo', icon: 'person', pipelineName: 'OBJECT DETECTION PIPELINE' },
  { name: 'text.png', title: 'Text in a picture', icon: 'text', pipelineName: 'TEXT DETECTION PIPELINE' },
];

/** What an empty library and an empty list of jobs show: how to begin. */
export function FirstMinute() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const start = async ({ name, pipelineName }: Sample) => {
    setBusy(true);
    try {
      const response = await fetch(new URL(`../samples/${name}`, import.meta.url));
      if (!response.ok) throw new Error('The sample could not be loaded.');
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
      <h2>See what is in your videos, photos, sound and documents</h2>
      <p>Drop files anywhere on this page, or</p>
      <p>
        <button type="button" class="primary big" onClick={() => openAnalysis()}>
          <Icon name="upload" /> Choose files
        </button>
      </p>
      <h3>Try a sample, or watch a camera</h3>
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
          <span>Connect a camera</span>
        </a>
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
