/** The `onegpu` command: its subcommands, and how every failure ends. */
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addBenchCommand } from './commands/bench.ts';
import { addCompareCommand } from './commands/compare.ts';
import { addConformanceCommand } from './commands/conformance.ts';
import { addDetectCommand } from './commands/detect.ts';
import { addDevicesCommand } from './commands/devices.ts';
import { addInfoCommand } from './commands/info.ts';
import { addProfileCommand } from './commands/profile.ts';
import { addRunCommand } from './commands/run.ts';
import { addTuneCommand } from './commands/tune.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { type ExitCode, exitCodeOf, failureMessage } from './failure.ts';
import { fitMessage, note } from './output.ts';

const COMMANDS = [
  addRunCommand,
  addInfoCommand,
  addProfileCommand,
  addTuneCommand,
  addCompareCommand,
  addBenchCommand,
  addDetectCommand,
  addConformanceCommand,
  addVerifyCommand,
  addDevicesCommand,
];

export function createProgram(): Command {
  const program = new Command('onegpu')
    .description('Runs ONNX vision models on WebGPU.')
    .version(packageVersion())
    .option('--debug', 'show where an error comes from (also ONEGPU_DEBUG=1)')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(fitMessage(text.replace(/^error: /, 'onegpu: '))),
    });
  for (const add of COMMANDS) add(program);
  return program;
}

/** Runs the command for the words after its name; never throws. */
export async function runProgram(words: readonly string[]): Promise<ExitCode> {
  const program = createProgram();
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    const debug = program.opts().debug === true || (process.env.ONEGPU_DEBUG ?? '') !== '';
    const message = failureMessage(error, debug);
    if (message !== undefined) note(message);
    return exitCodeOf(error);
  }
}

function packageVersion(): string {
  const manifest: { version: string } = createRequire(import.meta.url)('../package.json');
  return manifest.version;
}
