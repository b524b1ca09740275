/** Runs one test folder: every data set through one session, every output against the stored one. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InvalidInputError, OneGpuError } from '@onegpu/core';
import type { InferenceSession, SessionOptions, Tensor } from '@onegpu/onnx';
import { decodeTensor } from '@onegpu/onnx/tools';
import { CASE_FILE, type CaseFacts } from '@onegpu/onnx/verify';
import { tensorDifference } from './compare.ts';
import type { DataSet, TestFolder } from './folders.ts';

export type FolderStatus = 'PASS' | 'FAIL' | 'UNSUPPORTED';

export interface FolderResult {
  readonly name: string;
  readonly status: FolderStatus;
  /** Empty for a pass. */
  readonly reason: string;
}

/** Runs the folder with the session that `createSession` makes of its model; never throws. */
export async function runTestFolder(
  folder: TestFolder,
  createSession: (model: string, options: Pick<SessionOptions, 'inputLayout'>) => Promise<InferenceSession>,
): Promise<FolderResult> {
  const { name } = folder;
  try {
    if (folder.dataSets.length === 0) return { name, status: 'FAIL', reason: 'no test_data_set folder' };
    const facts = await readFacts(folder);
    const session = await createSession(
      folder.model,
      facts === undefined ? {} : { inputLayout: facts.layout },
    );
    try {
      for (const dataSet of folder.dataSets) {
        const reason = await runDataSet(session, dataSet, facts);
        if (reason !== undefined) return { name, status: 'FAIL', reason: `${dataSet.name}: ${reason}` };
      }
    } finally {
      await session.release();
    }
    return { name, status: 'PASS', reason: '' };
  } catch (error) {
    return { name, ...classifyError(error) };
  }
}

/** What is legal but not built is UNSUPPORTED; everything else that is thrown is a FAIL. */
function classifyError(error: unknown): Pick<FolderResult, 'status' | 'reason'> {
  const unsupported = error instanceof OneGpuError && error.code === 'unsupported-operator';
  const message = error instanceof Error ? error.message : String(error);
  return { status: unsupported ? 'UNSUPPORTED' : 'FAIL', reason: message.replace(/\s*\n\s*/g, '; ') };
}

/** What `onegpu verify` wrote beside a case of its own; undefined for every other folder. */
async function readFacts(folder: TestFolder): Promise<CaseFacts | undefined> {
  const file = join(dirname(folder.model), CASE_FILE);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as CaseFacts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InvalidInputError('the facts of the case cannot be read', { subject: file }, { cause: error });
  }
}

async function runDataSet(
  session: InferenceSession,
  dataSet: DataSet,
  facts: CaseFacts | undefined,
): Promise<string | undefined> {
  if (!dataSet.outputs.some((file) => file !== undefined)) return 'no output_K.pb';
  const results = await session.run(await readFeeds(session, dataSet));
  for (const [position, file] of dataSet.outputs.entries()) {
    if (file === undefined) continue;
    const name = session.outputNames[position];
    const actual = name === undefined ? undefined : results[name];
    if (actual === undefined) return `no output ${position}`;
    const { tensor } = decodeTensor(await readFile(file), basename(file));
    const difference = tensorDifference(actual, tensor, facts?.outputs[name ?? '']);
    if (difference !== undefined) return `output "${name}": ${difference}`;
  }
  return undefined;
}

/** Files by the name stored in them where it is an input's, else by position. */
async function readFeeds(session: InferenceSession, { inputs }: DataSet): Promise<Record<string, Tensor>> {
  const feeds: Record<string, Tensor> = {};
  for (const [position, file] of inputs.entries()) {
    if (file === undefined) continue;
    const { name, tensor } = decodeTensor(await readFile(file), basename(file));
    const target = session.inputNames.includes(name) ? name : session.inputNames[position];
    if (target !== undefined) feeds[target] = tensor;
  }
  return feeds;
}
