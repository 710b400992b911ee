import type { Settings } from '../../config/settings.ts';
import type { RestartPolicy } from './transitions.ts';

/** Time that component processes have to end when the server stops. A service manager waits for the server meanwhile. */
export const STOP_COMPONENTS_MS = 2_000;

const FAILURES = 5;
const WITHIN_MS = 60_000;
const MAX_DELAY_MS = 30_000;

/** Rules for restarting services. A process of an installed component must claim work; other services need not. */
export function restartPolicy(
  settings: Pick<Settings, 'RESTART_DELAY_MS' | 'COMPONENT_START_MS' | 'SERVICE_STOP_MS'>,
  isInstalled: boolean,
): RestartPolicy {
  return {
    delayMs: settings.RESTART_DELAY_MS,
    maxDelayMs: MAX_DELAY_MS,
    failures: FAILURES,
    // Long enough for several hanging starts of COMPONENT_START_MS each.
    withinMs: isInstalled ? Math.max(WITHIN_MS, (FAILURES + 1) * settings.COMPONENT_START_MS) : WITHIN_MS,
    retries: isInstalled,
    stopMs: settings.SERVICE_STOP_MS,
    shutdownMs: STOP_COMPONENTS_MS,
  };
}
