import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A button that opens a list of links and buttons. The list closes after a choice, by Escape, and by a click elsewhere. */
export function Menu({
  label,
  button,
  className = '',
  children,
}: {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = () => details.current?.removeAttribute('open');
    const onPress = (event: Event) => {
      if (details.current?.contains(event.target as Node) === false) close();
    };
    const onKey = (event: KeyboardEvent) => {
      const menu = details.current;
      if (event.key !== 'Escape' || menu?.open !== true) return;
      close();
      menu.querySelector('summary')?.focus();
    };
    addEventListener('pointerdown', onPress);
    addEventListener('keydown', onKey);
    addEventListener('hashchange', close);
    return () => {
      removeEventListener('pointerdown', onPress);
      removeEventListener('keydown', onKey);
      removeEventListener('hashchange', close);
    };
  }, []);
  return (
    <details class={`menu ${className}`} ref={details}>
      <summary aria-label={label}>{button}</summary>
      <div class="menu-list">{children}</div>
    </details>
  );
}
