/**
 * The bundled software adapter: SwiftShader's Vulkan driver, taken out of the npm package `@sparticuz/chromium`
 * (`bin/swiftshader.tar.br`) into a cache folder. Dawn finds the driver through VK_ADD_DRIVER_FILES, which keeps
 * the machine's own GPUs in the list. Where the system has no Vulkan loader, the one in that archive is loaded
 * into the process first, and Dawn's own look-up by name then finds it.
 *
 * Linux on x86-64 only: that is what the archive is built for.
 */
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants, homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import type { AdapterAbsence } from './gpu-provider.ts';

const PACKAGE = '@sparticuz/chromium';
const ICD = 'vk_swiftshader_icd.json';
const LOADER = 'libvulkan.so.1';
/** glibc's RTLD_NODELETE: the library stays although Node closes what is no addon of its own. */
const RTLD_NODELETE = 0x1000;

/** Makes the software adapter visible to Dawn; answers with the reason where it cannot. */
export async function prepareSoftwareAdapter(): Promise<AdapterAbsence | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      got: `${process.platform}-${process.arch}`,
      expected: 'linux-x64, which the bundled one is built for',
    };
  }
  const archive = locateArchive();
  if (archive === undefined) {
    return {
      got: `no package "${PACKAGE}"`,
      remedy: `The optional package "${PACKAGE}" brings a software adapter.`,
    };
  }
  try {
    const folder = await unpack(archive);
    const listed = process.env.VK_ADD_DRIVER_FILES;
    const icd = join(folder, ICD);
    if (listed?.split(delimiter).includes(icd) !== true) {
      process.env.VK_ADD_DRIVER_FILES = listed ? `${listed}${delimiter}${icd}` : icd;
    }
    if (!makeResident(LOADER)) makeResident(join(folder, LOADER));
    return undefined;
  } catch (error) {
    return {
      got: `its archive not unpacked: ${error instanceof Error ? error.message : error}`,
      remedy: 'Let ONEGPU_CACHE name a folder that may be written, for the software adapter.',
    };
  }
}

function locateArchive(): { file: string; version: string } | undefined {
  // Resolved from here and from where the program was started: the package is an optional peer.
  const starts = [import.meta.url, join(process.cwd(), 'package.json')];
  for (const start of starts) {
    try {
      const require = createRequire(start);
      const entry = require.resolve(PACKAGE);
      const root = entry.slice(
        0,
        entry.lastIndexOf(join('@sparticuz', 'chromium')) + join('@sparticuz', 'chromium').length,
      );
      const { version } = require(join(root, 'package.json')) as { version: string };
      return { file: join(root, 'bin', 'swiftshader.tar.br'), version };
    } catch {
      // Not installed here; the next place may have it.
    }
  }
  return undefined;
}

function cacheRoot(): string {
  if (process.env.ONEGPU_CACHE) return process.env.ONEGPU_CACHE;
  const home = process.env.XDG_CACHE_HOME ?? (homedir() ? join(homedir(), '.cache') : tmpdir());
  return join(home, 'onegpu');
}

async function unpack(archive: { file: string; version: string }): Promise<string> {
  const roots = [cacheRoot(), join(tmpdir(), 'onegpu-cache')];
  let failure: unknown;
  for (const root of roots) {
    try {
      return await unpackInto(root, archive);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function unpackInto(root: string, archive: { file: string; version: string }): Promise<string> {
  const folder = join(root, `swiftshader-${archive.version}`);
  if (await exists(join(folder, ICD))) return folder;
  await mkdir(root, { recursive: true });
  // Unpacked aside and renamed, so that two processes starting at once never see half a folder.
  const aside = await mkdtemp(join(root, 'unpack-'));
  await pipeline(createReadStream(archive.file), createBrotliDecompress(), extract(aside));
  try {
    await rename(aside, folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!(await exists(join(folder, ICD)))) throw error;
  }
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Loads a shared library and keeps it. Node refuses it for not being an addon after it is in memory, which is
 * all that is wanted; any other refusal means that it is not there.
 */
function makeResident(library: string): boolean {
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    return true;
  } catch (error) {
    return error instanceof Error && error.message.includes('did not self-register');
  }
}
