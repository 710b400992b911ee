import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../kit/icons.tsx';
import { filesOf } from './dropped-files.ts';
import { later } from '../kit/later.tsx';
import { onOpenAnalysis, type Given } from './open-analysis.ts';
import { TEXT } from '../kit/text.ts';

const load = async () => (await import('./new-analysis.tsx')).NewAnalysis;
const NewAnalysis = later(load);
/** Time that the first view gets before other modules are loaded: milliseconds. */
const LATER_MS = 2_000;

/** The sheet for a new analysis over any view. Files dropped anywhere open it. */
export function AnalysisSheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState<{ readonly n: number; readonly given: Given }>();
  const [isOver, setOver] = useState(false);
  const show = (given: Given) => {
    if (!dialog.current!.open) {
      setOpened((before) => ({ n: (before?.n ?? 0) + 1, given }));
      dialog.current!.showModal();
    } else if ((given.files ?? []).length > 0) setOpened((before) => ({ n: before?.n ?? 1, given }));
  };
  useEffect(() => onOpenAnalysis(show), []);
  useEffect(() => {
    // Loaded in advance, so that the sheet opens at once.
    const timer = setTimeout(() => void load().catch(() => undefined), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      // Another element has already handled the files.
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      void filesOf(event.dataTransfer).then((files) => show({ files }));
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return (
    <>
      {isOver && <div class="drop-hint">{TEXT.new.dropToAnalyze}</div>}
      <dialog
        class="sheet"
        ref={dialog}
        aria-label={TEXT.common.newAnalysis}
        onClose={() => setOpened(undefined)}
      >
        <header class="bar">
          <h2>{TEXT.common.newAnalysis}</h2>
          <button
            type="button"
            class="quiet-button"
            aria-label={TEXT.common.close}
            onClick={() => dialog.current!.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {opened !== undefined && (
          <NewAnalysis key={opened.n} given={opened.given} onStart={() => dialog.current!.close()} />
        )}
      </dialog>
    </>
  );
}
