/** The files that list modules. Each has one import and one name of a module, or one row that exports its functions. */
export const MODULE_LISTS = [
  'src/modules.ts',
  'src/threads.ts',
  'src/cli/modules.ts',
  'ui/modules.ts',
] as const;

/** The file of a module that a list imports. A module without the file is not in the list. */
export const LISTED_FILES: Readonly<Record<(typeof MODULE_LISTS)[number], string>> = {
  'src/modules.ts': 'module.ts',
  'src/threads.ts': 'tasks.ts',
  'src/cli/modules.ts': 'commands.ts',
  'ui/modules.ts': 'desk/module.ts',
};
