import { dirname } from 'node:path/posix';
import { cruise, type IModule } from 'dependency-cruiser';
import { IMPORT_RULES } from './import-rules.ts';
import { repositoryFiles } from './repository-files.ts';

const FOLDERS = ['packages', 'lab', 'tools', 'examples'];
const TEST_FILE = /\.test\.ts$|^packages\/testing\//;
const SOURCE_FILE = /^(packages\/[^/]+\/(src|bench)|lab|tools|examples)\/.*\.(tsx?|mjs)$/;

/** Returns one line for every import that breaks a rule. */
export async function importFaults(root: string): Promise<string[]> {
  const files = repositoryFiles(root);
  const { output } = await cruise(
    FOLDERS.filter((folder) => files.some((file) => file.startsWith(`${folder}/`))),
    {
      baseDir: root,
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
      validate: true,
      ruleSet: { forbidden: IMPORT_RULES },
    },
  );
  if (typeof output === 'string') throw new Error('the cruise gave a report instead of a result');

  // A parser that cannot read the sources finds no modules, and without modules no rule can fail.
  const cruised = new Set(output.modules.map(({ source }) => source));
  const overlooked = files.filter((file) => SOURCE_FILE.test(file) && !cruised.has(file));
  const sources = cruised.size === 0 ? ['nothing was looked at'] : [];

  const reasons = new Map(IMPORT_RULES.map(({ name, comment }) => [name, comment]));
  return [
    ...sources,
    ...overlooked.map((file) => `${file} was not looked at`),
    ...output.summary.violations.map(({ from, to, rule }) => {
      const reason = reasons.get(rule.name);
      return `${from} → ${to} breaks ${rule.name}${reason === undefined ? '' : ` (${reason})`}`;
    }),
    ...mutualFolders(output.modules),
  ];
}

/** Folders of packages that import each other and of which none contains the other; tests may import any folder. */
function mutualFolders(modules: readonly IModule[]): string[] {
  const importOf = new Map<string, string>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const files = [source, resolved];
      if (!files.every((file) => file.startsWith('packages/') && !TEST_FILE.test(file))) continue;
      const [from = '', to = ''] = files.map(dirname);
      if (!`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`)) {
        importOf.set(`${from} → ${to}`, `${source} → ${resolved}`);
      }
    }
  }
  return [...importOf].flatMap(([folders, example]) => {
    const [from = '', to = ''] = folders.split(' → ');
    const back = importOf.get(`${to} → ${from}`);
    return from < to && back !== undefined
      ? [`${from} and ${to} import each other: ${example}, ${back}`]
      : [];
  });
}
