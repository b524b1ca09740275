/** What a measurement was made on and with: figures without it mean little a week later. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { GpuDevice } from '@onegpu/core';

export interface BenchEnvironment {
  /** Vendor, architecture and device as the adapter gives them. */
  readonly adapter: string;
  /** The adapter's description of itself: name and version of the driver. */
  readonly driver: string;
  readonly softwareAdapter: boolean;
  readonly cpu: string;
  readonly cpus: number;
  readonly platform: string;
  /** Versions of Node, this package, Dawn's bindings and onnxruntime; a package that is absent is left out. */
  readonly versions: Readonly<Record<string, string>>;
  /** Commit of the checkout, with `+` when files are changed; absent outside a checkout. */
  readonly commit?: string;
}

export async function readEnvironment({
  raw,
  capabilities,
}: Pick<GpuDevice, 'raw' | 'capabilities'>): Promise<BenchEnvironment> {
  const { vendor, architecture, device, description } = raw.adapterInfo;
  const versions = Object.fromEntries(
    ['@onegpu/bench', 'webgpu', 'onnxruntime-node'].flatMap((name) => {
      const version = packageVersion(name);
      return version === undefined ? [] : [[name, version]];
    }),
  );
  const commit = await gitCommit();
  return {
    adapter: [vendor, architecture, device].filter((part) => part !== '').join(' / '),
    driver: description,
    softwareAdapter: capabilities.software,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    platform: `${process.platform}-${process.arch}`,
    versions: { node: process.versions.node, ...versions },
    ...(commit === undefined ? {} : { commit }),
  };
}

/** Version of a package as it resolves from here or from the working directory; undefined when it is absent. */
export function packageVersion(name: string): string | undefined {
  if (name === '@onegpu/bench') return versionIn(dirname(dirname(fileURLToPath(import.meta.url))), name);
  for (const start of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const entry = createRequire(start).resolve(name);
      for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
        const version = versionIn(folder, name);
        if (version !== undefined) return version;
      }
    } catch {
      // Not installed here; the next place may have it.
    }
  }
  return undefined;
}

function versionIn(folder: string, name: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: string;
      version?: string;
    };
    return manifest.name === name ? manifest.version : undefined;
  } catch {
    return undefined;
  }
}

async function gitCommit(): Promise<string | undefined> {
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', words, { cwd: dirname(fileURLToPath(import.meta.url)) })).stdout.trim();
  try {
    // Installed from the registry, the files may lie inside somebody else's repository.
    const root = await git('rev-parse', '--show-toplevel');
    if (versionIn(root, 'onegpu-workspace') === undefined) return undefined;
    const commit = await git('rev-parse', '--short=12', 'HEAD');
    const changed = await git('status', '--porcelain', '--untracked-files=no');
    return changed === '' ? commit : `${commit}+`;
  } catch {
    return undefined;
  }
}
