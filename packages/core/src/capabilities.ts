/** What an adapter can do, read once when a device is made; plain data that kernels plan against. */

export interface GpuLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxStorageBuffersPerShaderStage: number;
  readonly maxUniformBufferBindingSize: number;
  readonly minStorageBufferOffsetAlignment: number;
  readonly minUniformBufferOffsetAlignment: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupSizeY: number;
  readonly maxComputeWorkgroupSizeZ: number;
  readonly maxComputeWorkgroupsPerDimension: number;
}

export interface SubgroupMatrixShape {
  readonly componentType: string;
  readonly resultComponentType: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

export interface GpuCapabilities {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
  /** A CPU implementation (SwiftShader): barriers and workgroup memory are costly, kernels without them are chosen. */
  readonly software: boolean;
  readonly float16: boolean;
  /** Whether WGSL has `dot4I8Packed` (language feature `packed_4x8_integer_dot_product`). */
  readonly packedDotProduct: boolean;
  readonly timestamps: boolean;
  /** Undefined where subgroups are not offered. */
  readonly subgroupSize: { readonly min: number; readonly max: number } | undefined;
  readonly subgroupMatrices: readonly SubgroupMatrixShape[];
  readonly limits: GpuLimits;
}

/** Limits every WebGPU implementation offers; what pure tests plan against. */
export const DEFAULT_LIMITS: GpuLimits = {
  maxBufferSize: 268435456,
  maxStorageBufferBindingSize: 134217728,
  maxStorageBuffersPerShaderStage: 8,
  maxUniformBufferBindingSize: 65536,
  minStorageBufferOffsetAlignment: 256,
  minUniformBufferOffsetAlignment: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65535,
};

export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as readonly (keyof GpuLimits)[];

/** Capabilities of an imaginary device with WebGPU's default limits; `overrides` changes single facts. */
export function defaultCapabilities(overrides: Partial<GpuCapabilities> = {}): GpuCapabilities {
  return {
    vendor: '',
    architecture: '',
    description: '',
    software: false,
    float16: false,
    packedDotProduct: false,
    timestamps: false,
    subgroupSize: undefined,
    subgroupMatrices: [],
    limits: DEFAULT_LIMITS,
    ...overrides,
  };
}

/** Reads what the adapter offers and the device was given; `language` are the features of WGSL itself. */
export function readCapabilities(
  info: GPUAdapterInfo,
  device: GPUDevice,
  language: ReadonlySet<string> = new Set(),
): GpuCapabilities {
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, device.limits[name]]));
  const has = (feature: string): boolean => device.features.has(feature as GPUFeatureName);
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    description: info.description || info.device,
    software: isSoftwareAdapter(info),
    float16: has('shader-f16'),
    packedDotProduct: language.has('packed_4x8_integer_dot_product'),
    timestamps: has('timestamp-query'),
    subgroupSize: has('subgroups')
      ? { min: info.subgroupMinSize ?? 4, max: info.subgroupMaxSize ?? 128 }
      : undefined,
    subgroupMatrices: has('chromium-experimental-subgroup-matrix') ? readMatrices(info) : [],
    limits: limits as unknown as GpuLimits,
  };
}

/** Whether an adapter is a CPU implementation; Dawn does not always say so itself. */
export function isSoftwareAdapter(info: GPUAdapterInfo): boolean {
  const names = `${info.architecture} ${info.description} ${info.device}`;
  return info.isFallbackAdapter === true || /swiftshader|llvmpipe|lavapipe|warp|basic render/i.test(names);
}

function readMatrices(info: GPUAdapterInfo): readonly SubgroupMatrixShape[] {
  const configs = (info as { subgroupMatrixConfigs?: Iterable<SubgroupMatrixConfig> }).subgroupMatrixConfigs;
  return [...(configs ?? [])].map((config) => ({
    componentType: config.componentType,
    resultComponentType: config.resultComponentType,
    m: config.M,
    n: config.N,
    k: config.K,
  }));
}

interface SubgroupMatrixConfig {
  readonly componentType: string;
  readonly resultComponentType: string;
  readonly M: number;
  readonly N: number;
  readonly K: number;
}
