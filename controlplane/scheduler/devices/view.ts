/** What the plugin for dynamic resources knows of devices at the moment of a decision. */
import type { AllocationResult, DeviceClass, ResourceResourceClaim } from '../../../api/gen/types.ts';
import type { Key, KubeObject } from '../../../api/resource.ts';
import type { PodInfo } from '../pod-info.ts';
import type { ClassFor, ExtendedClaim } from './extended.ts';
import type { PoolDevice, SliceIndex } from './pools.ts';

type Claim = ResourceResourceClaim & KubeObject;

export interface DevicesView {
	/** All of it is known; in clusters of before 1.34 that is never so. */
	synced(): boolean;
	claim(key: Key): Claim | undefined;
	claimsOf(namespace: string): readonly Claim[];
	/** What claims have, or are being given. */
	allocations(): readonly AllocationResult[];
	deviceClass(name: string): DeviceClass | undefined;
	/** The class that stands for an extended resource. */
	readonly classFor: ClassFor;
	slices(): SliceIndex;
	/** Undefined while expressions cannot be evaluated yet. */
	matches(): ((expression: string, device: Pick<PoolDevice, 'driver' | 'device'>) => boolean) | undefined;
	/** Epoch milliseconds. */
	now(): number;
	/** True once so many milliseconds have gone. */
	after(ms: number): () => boolean;
	/** What was found out about a pod when nodes were looked at for it last. */
	readonly found: WeakMap<PodInfo, Found>;
}

export interface Found {
	/** By node. */
	readonly allocations: Map<string, NodeAllocation>;
	/** Of its claims, those that kept a node away: their devices are out of reach from there, or do not get ready. */
	readonly unavailable: Set<Claim>;
	readonly stale: Claim | undefined;
}

/** What a pod would be given on one node. */
export interface NodeAllocation {
	/** Of the claims that had none, in their order. */
	readonly results: readonly AllocationResult[];
	readonly extended: (ExtendedClaim & { readonly allocation: AllocationResult }) | undefined;
}
