import { z } from 'zod';
import { searchGroups, searchSettings } from './search.ts';
import { servingGroups, servingSettings } from './serving.ts';
import { storingGroups, storingSettings } from './storing.ts';
import { streamingGroups, streamingSettings } from './streaming.ts';
import type { SettingGroup } from './values.ts';
import { workingGroups, workingSettings } from './working.ts';

/** Every setting of the server: name, rule, default and what it says. */
export const serverEnvironment = z.object({
  ...servingSettings,
  ...storingSettings,
  ...workingSettings,
  ...streamingSettings,
  ...searchSettings,
});

export const serverGroups: readonly SettingGroup[] = [
  ...servingGroups,
  ...storingGroups,
  ...workingGroups,
  ...streamingGroups,
  ...searchGroups,
];
