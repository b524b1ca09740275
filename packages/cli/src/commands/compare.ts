/** `onegpu compare A.json B.json`: two profiles side by side, so that the effect of a change is seen row by row. */
import { type Command, Option } from 'commander';
import { compareProfiles, type NamedProfile, type RowOrder } from '../compare/compare-profiles.ts';
import { formatComparison } from '../compare/comparison-table.ts';
import { print, printJson } from '../output.ts';
import { readProfile } from '../profile-file.ts';

interface CompareOptions {
  readonly sort: RowOrder;
  readonly json?: true;
}

export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .argument('<a>', 'profile before, written by onegpu profile --save')
    .argument('<b>', 'profile after')
    .description('compare two profiles row by row')
    .addOption(
      new Option('--sort <order>', 'largest difference first, or in the order they run')
        .choices(['difference', 'order'])
        .default('difference'),
    )
    .option('--json', 'print JSON alone on standard output')
    .action(compareFiles);
}

async function compareFiles(fileA: string, fileB: string, options: CompareOptions): Promise<void> {
  const a = await load(fileA);
  const b = await load(fileB);
  const comparison = compareProfiles(a, b, options.sort);
  if (options.json) printJson(comparison);
  else print(formatComparison(comparison));
}

async function load(file: string): Promise<NamedProfile> {
  return { file, profile: await readProfile(file) };
}
