import { z } from 'zod';
import { searchGroups, searchSettings } from './search.ts';
import { servingGroups, servingSettings } from './server-groups.ts';
import { storingGroups, storingSettings } from './storage-groups.ts';
import { streamingGroups, streamingSettings } from './stream-groups.ts';
import type { SettingGroup } from './values.ts';
import { userGroups, userSettings } from './user-groups.ts';
import { workingGroups, workingSettings } from './work-groups.ts';

/** Every setting of the server: name, rule, default and description. */
export const serverEnvironment = z.object({
  ...servingSettings,
  ...userSettings,
  ...storingSettings,
  ...workingSettings,
  ...streamingSettings,
  ...searchSettings,
});

export const serverGroups: readonly SettingGroup[] = [
  ...servingGroups,
  ...userGroups,
  ...storingGroups,
  ...workingGroups,
  ...streamingGroups,
  ...searchGroups,
];
