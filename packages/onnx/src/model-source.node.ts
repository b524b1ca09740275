/** Model sources in Node.js: bytes, addresses and paths. Paths are read in pieces, so that progress can be told. */
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidModelError, OneGpuError } from '@onegpu/core';
import { checkAborted, type ProgressListener, type ReadOptions } from './load-progress.ts';
import { bytesSource, type ModelInput, type ModelSource, urlSource } from './model-source.ts';
import { unreadable } from './unreadable.ts';

const PIECE_BYTES = 8 * 1024 * 1024;

/**
 * A text with a scheme of at least two letters is an address (`C:\model.onnx` is a path); any other is a path.
 * @throws InvalidModelError for an address that is none
 */
export function openModelSource(input: ModelInput): ModelSource {
  if (typeof input !== 'string' && !(input instanceof URL)) return bytesSource(input);
  if (typeof input === 'string' && !/^(https?|data|blob|file):/i.test(input)) return pathSource(input);
  try {
    const address = new URL(input);
    return address.protocol === 'file:' ? pathSource(fileURLToPath(address)) : urlSource(address);
  } catch (cause) {
    throw unreadable(String(input), 'not an address', { cause });
  }
}

function pathSource(path: string): ModelSource {
  return {
    name: path,
    memory: 'own',
    read: (options) => readFile(path, options),
    readBeside: async (location, options) => {
      const folder = await realpath(dirname(path));
      const beside = resolve(folder, location);
      const target = await realpath(beside).catch((cause: unknown) => {
        throw fileError(beside, cause);
      });
      const inside = folder.endsWith(sep) ? folder : folder + sep;
      if (target.startsWith(inside)) return readFile(target, options);
      throw new InvalidModelError('external data must lie in the folder of the model', {
        subject: path,
        field: 'external_data.location',
        got: `"${location}", a link to ${target}`,
        expected: `a file in ${folder}`,
      });
    },
  };
}

async function readFile(path: string, { onProgress, signal }: ReadOptions = {}): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const status = await file.stat();
    if (status.isDirectory()) throw unreadable(path, 'a folder');
    const bytes = await readPieces(file, status.size, onProgress);
    checkAborted(signal, path, `${bytes.length} of ${status.size} bytes`);
    return bytes;
  } catch (cause) {
    if (cause instanceof OneGpuError) throw cause;
    throw fileError(path, cause);
  } finally {
    await file?.close();
  }
}

/** Pieces are read side by side: Node's threads share the work of copying them into fresh memory. */
async function readPieces(
  file: FileHandle,
  total: number,
  onProgress: ProgressListener | undefined,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(total);
  let done = 0;
  const readPiece = async (begin: number): Promise<number> => {
    const end = Math.min(total, begin + PIECE_BYTES);
    let at = begin;
    while (at < end) {
      const { bytesRead } = await file.read(bytes, at, end - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      done += bytesRead;
      onProgress?.({ stage: 'read', done, total });
    }
    return at;
  };
  const begins = Array.from({ length: Math.ceil(total / PIECE_BYTES) }, (_, piece) => piece * PIECE_BYTES);
  const ends = await Promise.all(begins.map(readPiece));
  // A file that became shorter meanwhile ends with its first piece that is not whole.
  const last = ends.findIndex((end, piece) => end < Math.min(total, (piece + 1) * PIECE_BYTES));
  return last < 0 ? bytes : bytes.subarray(0, ends[last]);
}

function fileError(path: string, cause: unknown): InvalidModelError {
  const code = (cause as { code?: string }).code;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such file',
    EACCES: 'permission denied',
    ENOTDIR: 'a part of the path is no folder',
  };
  const reason = reasons[code ?? ''] ?? (cause instanceof Error ? cause.message : String(cause));
  return unreadable(path, reason, { cause });
}
