import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem, Skeleton } from './parts.tsx';
import { TEXT } from './text.ts';

/** Loads the modules of a view when it is first shown, which keeps the first view of the page small. `rows`: of its skeleton. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  rows = 4,
): (props: P) => JSX.Element {
  let loaded: ComponentType<P> | undefined;
  return function Later(props) {
    const [View, setView] = useState(() => loaded);
    const [failures, setFailures] = useState(0);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      if (View !== undefined) return;
      setMissing(false);
      load().then(
        (view) => {
          loaded = view;
          setView(() => view);
        },
        () => setMissing(true),
      );
    }, [failures]);
    if (View !== undefined) return <View {...props} />;
    if (!isMissing) return <Skeleton rows={rows} />;
    // The server may have another version of the page by now.
    const again = () => (failures === 0 ? setFailures(1) : location.reload());
    return <Problem again={again}>{TEXT.kit.thisViewCouldNotBe}</Problem>;
  };
}
